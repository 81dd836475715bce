//! The commands of system package managers that install missing tools.

/// A package that xtask can install.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Package {
    Redis,
    /// A C++ compiler.
    Compiler,
    /// OpenSSL's headers, and `pkg-config` to find them.
    OpenSsl,
    Nginx,
    /// A load generator for HTTP.
    Wrk,
    /// Counts the instructions of a program.
    Valgrind,
    Prometheus,
    /// An HTTP client in Python. If the package manager does not have it, Python itself.
    Urllib3,
    /// `llvm-cov` and `llvm-profdata`. Systems install them under names that contain the version.
    Llvm,
}

/// A package manager, and its commands that install without asking questions.
#[derive(Debug, PartialEq)]
pub(crate) struct Manager {
    /// The program to look for.
    pub(crate) program: &'static str,
    refresh: Option<&'static [&'static str]>,
    install: &'static [&'static str],
    /// The names of each [`Package`], in the order of its variants.
    names: [&'static [&'static str]; 9],
    needs_root: bool,
}

impl Manager {
    const fn new(
        program: &'static str,
        install: &'static [&'static str],
        names: [&'static [&'static str]; 9],
    ) -> Self {
        Self { program, refresh: None, install, names, needs_root: true }
    }

    fn install(&self, package: Package) -> Vec<&'static str> {
        self.install.iter().chain(self.names[package as usize]).copied().collect()
    }
}

/// The package managers in order of preference. `brew` is last, because on Linux it can exist next to the system's own manager.
const MANAGERS: [Manager; 6] = [
    Manager {
        refresh: Some(&["update"]),
        ..Manager::new(
            "apt-get",
            &["install", "--yes", "--no-install-recommends"],
            [
                &["redis-server"],
                &["g++"],
                &["libssl-dev", "pkg-config"],
                &["nginx-light"],
                &["wrk"],
                &["valgrind"],
                &["prometheus"],
                &["python3-urllib3"],
                &["llvm-19"],
            ],
        )
    },
    Manager::new(
        "dnf",
        &["install", "--assumeyes"],
        [
            &["redis"],
            &["gcc-c++"],
            &["openssl-devel", "pkgconf"],
            &["nginx"],
            &["wrk"],
            &["valgrind"],
            &["golang-github-prometheus"],
            &["python3-urllib3"],
            &["llvm"],
        ],
    ),
    Manager::new(
        "apk",
        &["add", "--no-cache"],
        [
            &["redis"],
            &["g++"],
            &["openssl-dev", "pkgconf"],
            &["nginx"],
            &["wrk"],
            &["valgrind"],
            &["prometheus"],
            &["py3-urllib3"],
            &["llvm"],
        ],
    ),
    Manager::new(
        "pacman",
        &["-Sy", "--noconfirm", "--needed"],
        [
            &["redis"],
            &["gcc"],
            &["openssl", "pkgconf"],
            &["nginx"],
            &["wrk"],
            &["valgrind"],
            &["prometheus"],
            &["python-urllib3"],
            &["llvm"],
        ],
    ),
    Manager::new(
        "zypper",
        &["--non-interactive", "install"],
        [
            &["redis"],
            &["gcc-c++"],
            &["libopenssl-devel", "pkgconf"],
            &["nginx"],
            &["wrk"],
            &["valgrind"],
            &["golang-github-prometheus-prometheus"],
            &["python3-urllib3"],
            &["llvm"],
        ],
    ),
    Manager {
        needs_root: false,
        ..Manager::new(
            "brew",
            &["install"],
            [
                &["redis"],
                &["gcc"],
                &["openssl", "pkgconf"],
                &["nginx"],
                &["wrk"],
                &["valgrind"],
                &["prometheus"],
                &["python"],
                &["llvm"],
            ],
        )
    },
];

/// Returns the first manager that is installed. `None` if there is none.
pub(crate) fn choose(is_installed: impl Fn(&str) -> bool) -> Option<&'static Manager> {
    MANAGERS.iter().find(|manager| is_installed(manager.program))
}

/// Returns the commands that install a package. The last command decides whether the installation has worked.
pub(crate) fn commands(manager: &Manager, package: Package, is_root: bool) -> Vec<Vec<&'static str>> {
    let calls = manager.refresh.map(<[_]>::to_vec).into_iter().chain([manager.install(package)]);
    calls.map(|call| command(manager, &call, is_root)).collect()
}

/// The command to suggest to the user.
pub(crate) fn by_hand(manager: &Manager, package: Package) -> String {
    let sudo = if manager.needs_root { "sudo " } else { "" };
    format!("{sudo}{} {}", manager.program, manager.install(package).join(" "))
}

fn command(manager: &Manager, call: &[&'static str], is_root: bool) -> Vec<&'static str> {
    let mut words = Vec::new();
    if manager.needs_root && !is_root {
        words.extend(["sudo", "-n"]);
    }
    if manager.program == "apt-get" {
        // `env` sets the variables, because sudo drops those of the caller. In run level 1, Debian packages do not start their
        // service after the installation.
        words.extend(["env", "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1"]);
    }
    words.push(manager.program);
    words.extend(call);
    words
}

#[cfg(test)]
mod tests {
    use super::{Package, by_hand, choose, commands};

    fn lines(program: &str, is_root: bool) -> Vec<String> {
        let manager = choose(|candidate| candidate == program).unwrap();
        commands(manager, Package::Redis, is_root).iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn the_manager_of_the_system_is_preferred_to_brew() {
        assert_eq!(choose(|name| ["brew", "dnf"].contains(&name)).unwrap().program, "dnf");
        assert_eq!(choose(|name| name == "brew").unwrap().program, "brew");
        assert_eq!(choose(|_| false), None);
    }

    #[test]
    fn apt_refreshes_its_lists_first_and_starts_no_service() {
        let quiet = "env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get";
        let install = "install --yes --no-install-recommends redis-server";
        assert_eq!(lines("apt-get", true), [format!("{quiet} update"), format!("{quiet} {install}")]);
    }

    #[test]
    fn sudo_is_used_only_if_the_manager_needs_root() {
        assert_eq!(lines("apk", true), ["apk add --no-cache redis"]);
        assert_eq!(lines("apk", false), ["sudo -n apk add --no-cache redis"]);
        assert_eq!(lines("brew", false), ["brew install redis"]);
    }

    #[test]
    fn the_suggestion_is_a_command() {
        let suggestion = by_hand(choose(|name| name == "pacman").unwrap(), Package::Redis);
        assert_eq!(suggestion, "sudo pacman -Sy --noconfirm --needed redis");
        let compiler = by_hand(choose(|name| name == "brew").unwrap(), Package::Compiler);
        assert_eq!(compiler, "brew install gcc");
        let headers = by_hand(choose(|name| name == "apk").unwrap(), Package::OpenSsl);
        assert_eq!(headers, "sudo apk add --no-cache openssl-dev pkgconf");
    }
}

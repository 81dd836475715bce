//! The tools that the commands need on this machine. Installs missing tools.

use crate::install::{self, Manager, Package};
use crate::process::{cargo, output, run, succeeds, target};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of mdBook that builds the book.
const MDBOOK: &str = "0.5.4";

/// The environment variable with the path of the server for the tests. `tests/support` reads it too.
pub(crate) const SERVER_VARIABLE: &str = "RATELIMIT_REDIS_SERVER";

/// The programs that the tests accept as a server. Some distributions have only the second one.
const SERVERS: [&str; 2] = ["redis-server", "valkey-server"];

/// Makes sure that `cargo SUBCOMMAND` works. If it does not, adds the toolchain component.
pub(crate) fn ensure_component(component: &str, subcommand: &str) -> Result<(), String> {
    let works = || succeeds(&mut cargo(&[subcommand, "--version"]));
    ensure(works, &["rustup", "component", "add", component])
}

/// Makes sure that `cargo SUBCOMMAND` works. If it does not, builds the crate with this subcommand.
pub(crate) fn ensure_cargo_command(subcommand: &str, package: &str) -> Result<(), String> {
    let works = || succeeds(&mut cargo(&[subcommand, "--version"]));
    ensure(works, &["cargo", "install", "--locked", package])
}

/// Runs a command that installs something, if `works` returns false.
fn ensure(works: impl Fn() -> bool, install: &[&str]) -> Result<(), String> {
    if works() {
        return Ok(());
    }
    announce(install)?;
    if works() { Ok(()) } else { Err(format!("`{}` has succeeded, but changed nothing", install.join(" "))) }
}

/// Returns the variables that name the tools of LLVM for cargo-llvm-cov. The result is empty if the toolchain has these tools.
pub(crate) fn ensure_llvm() -> Result<Vec<(&'static str, OsString)>, String> {
    const TOOLS: [(&str, &str); 2] = [("LLVM_COV", "llvm-cov"), ("LLVM_PROFDATA", "llvm-profdata")];
    let are_set = TOOLS.iter().all(|(variable, _)| env::var_os(variable).is_some());
    if are_set || succeeds(Command::new("rustup").args(["component", "add", "llvm-tools"])) {
        return Ok(Vec::new());
    }
    // Looks for the newest version on the system. An LLVM that is older than the compiler's can also read the counters.
    let found = || {
        let name = |tool: &str, version: u32| OsString::from(format!("{tool}-{version}"));
        let has_all = |version: &u32| TOOLS.iter().all(|(_, tool)| runs(&name(tool, *version)));
        let version = (19..40).rev().find(has_all)?;
        Some(TOOLS.map(|(variable, tool)| (variable, name(tool, version))).to_vec())
    };
    let still = "it is not on PATH; set LLVM_COV and LLVM_PROFDATA";
    ensure_package("LLVM", Package::Llvm, || found().is_some(), still)?;
    Ok(found().unwrap_or_default())
}

/// Makes sure that the standard library of a target is installed.
pub(crate) fn ensure_target(target: &str) -> Result<(), String> {
    let folder = output(Command::new("rustc").args(["--print", "target-libdir", "--target", target]))?;
    if Path::new(folder.trim()).is_dir() { Ok(()) } else { announce(&["rustup", "target", "add", target]) }
}

/// Makes sure that rust-analyzer is installed.
pub(crate) fn ensure_rust_analyzer() -> Result<(), String> {
    let works = || runs(OsStr::new("rust-analyzer"));
    ensure(works, &["rustup", "component", "add", "rust-analyzer"])
}

/// Returns the Redis server for the tests. Installs the system's package if no server is found.
pub(crate) fn ensure_redis() -> Result<OsString, String> {
    if let Some(named) = env::var_os(SERVER_VARIABLE).filter(|name| !name.is_empty()) {
        return if runs(&named) {
            Ok(named)
        } else {
            Err(format!(
                "{SERVER_VARIABLE} is `{}`, which does not run; set it to a redis-server or valkey-server",
                named.display()
            ))
        };
    }
    let is_there = || installed_server().is_some();
    ensure_package("redis-server", Package::Redis, is_there, "it is not on PATH")
        .map_err(|error| format!("{error}, or set {SERVER_VARIABLE} to a redis-server or valkey-server"))?;
    Ok(installed_server().unwrap_or_default())
}

/// Returns mdBook. Builds it into `target/tools` if it is not there, because few systems package it.
pub(crate) fn ensure_mdbook() -> Result<PathBuf, String> {
    let folder = target().join("tools");
    let program = folder.join("bin/mdbook");
    if !runs(program.as_os_str()) {
        println!("mdBook is missing; building it takes a few minutes");
        let version = ["install", "mdbook", "--locked", "--version", MDBOOK, "--root"];
        run(cargo(&version).arg(&folder)).map_err(|error| format!("`cargo install mdbook`: {error}"))?;
    }
    Ok(program)
}

/// Makes sure that nginx is installed. Tests put a server behind it.
pub(crate) fn ensure_nginx() -> Result<(), String> {
    ensure_program("nginx", Package::Nginx)
}

/// Makes sure that Python has urllib3, a client that retries after refusals by itself. Tests also look for it in `target/python`.
pub(crate) fn ensure_urllib3() -> Result<(), String> {
    let packages = target().join("python");
    let is_there =
        || succeeds(Command::new("python3").args(["-c", "import urllib3"]).env("PYTHONPATH", &packages));
    if is_there() {
        return Ok(());
    }
    let folder = packages.to_str().ok_or("the path of the target folder is not UTF-8")?;
    let pip = || announce(&["python3", "-m", "pip", "install", "--quiet", "--target", folder, "urllib3>=2"]);
    let by_pip = pip();
    if is_there() {
        return Ok(());
    }
    let by_system = install("urllib3 for Python", Package::Urllib3);
    // Some package managers do not have urllib3, but Python with pip.
    if is_there() || (pip().is_ok() && is_there()) {
        return Ok(());
    }
    let reason =
        by_pip.err().unwrap_or_else(|| "pip has installed it, but `python3` cannot import it".to_owned());
    let how =
        by_system.err().map(|(reason, how)| format!(" ({reason}); install it ({how})")).unwrap_or_default();
    Err(format!("urllib3 for Python is missing: {reason}{how}"))
}

/// Makes sure that Prometheus is installed. It reads the metrics of an example.
pub(crate) fn ensure_prometheus() -> Result<(), String> {
    ensure_program("prometheus", Package::Prometheus)
}

/// Makes sure that wrk is installed. It puts load on the servers of the benchmarks.
pub(crate) fn ensure_wrk() -> Result<(), String> {
    ensure_program("wrk", Package::Wrk)
}

/// Makes sure that valgrind is installed. It counts the instructions of calls.
pub(crate) fn ensure_valgrind() -> Result<(), String> {
    ensure_program("valgrind", Package::Valgrind)
}

/// Makes sure that a program is on PATH. Installs the system's package if it is not.
fn ensure_program(program: &str, package: Package) -> Result<(), String> {
    // `-v` prints a version. Some programs return a failure for it, so the exit code is ignored.
    let is_there = || Command::new(program).arg("-v").output().is_ok();
    ensure_package(program, package, is_there, "it is not on PATH")
}

/// Makes sure that there is a C++ compiler, which builds libFuzzer. Looks for the compiler in the same way as libFuzzer's build.
pub(crate) fn ensure_compiler() -> Result<(), String> {
    let program = env::var_os("CXX").filter(|name| !name.is_empty()).unwrap_or_else(|| "c++".into());
    let hint = format!("`{}` does not run; set CXX to a C++ compiler", program.display());
    ensure_package("a C++ compiler", Package::Compiler, || runs(&program), &hint)
}

/// Makes sure that OpenSSL is installed with its headers, which a crate in the benchmarks needs on Linux.
pub(crate) fn ensure_openssl() -> Result<(), String> {
    let is_installed = || succeeds(Command::new("pkg-config").args(["--exists", "openssl"]));
    if !cfg!(target_os = "linux") || env::var_os("OPENSSL_DIR").is_some() {
        return Ok(());
    }
    let hint = "pkg-config does not find it; set OPENSSL_DIR";
    ensure_package("OpenSSL with its headers", Package::OpenSsl, is_installed, hint)
}

/// Installs a package of the system if `is_there` returns false. `still` is the error if `is_there` returns false after the
/// installation, too.
fn ensure_package(
    what: &str,
    package: Package,
    is_there: impl Fn() -> bool,
    still: &str,
) -> Result<(), String> {
    if is_there() {
        return Ok(());
    }
    let result = install(what, package);
    if is_there() {
        return Ok(());
    }
    Err(match result {
        Ok(()) => format!("{what} was installed, but {still}"),
        Err((reason, how)) => format!("{what} is missing ({reason}); install it ({how})"),
    })
}

/// Installs a package of the system. An error contains the reason, and a command that the user could run.
fn install(what: &str, package: Package) -> Result<(), (String, String)> {
    println!("{what} is missing; installing it");
    let Some(manager) = install::choose(|program| runs(OsStr::new(program))) else {
        return Err((
            "no known package manager was found".to_owned(),
            "from the packages of your system".to_owned(),
        ));
    };
    install_with(manager, package).map_err(|reason| (reason, install::by_hand(manager, package)))
}

/// Runs the commands that install a package. Only the result of the last command counts. The command before it refreshes the
/// package lists. It may fail (one broken mirror is enough) although the package can be installed.
fn install_with(manager: &Manager, package: Package) -> Result<(), String> {
    let mut result = Ok(());
    for words in install::commands(manager, package, is_root()) {
        result = announce(&words);
    }
    result
}

fn installed_server() -> Option<OsString> {
    SERVERS.map(OsString::from).into_iter().find(|server| runs(server))
}

fn runs(program: &OsStr) -> bool {
    succeeds(Command::new(program).arg("--version"))
}

fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// Prints a command and runs it.
pub(crate) fn announce(words: &[&str]) -> Result<(), String> {
    println!("$ {}", words.join(" "));
    let [program, args @ ..] = words else {
        return Ok(());
    };
    run(Command::new(program).args(args)).map_err(|error| format!("`{}`: {error}", words.join(" ")))
}

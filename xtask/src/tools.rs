//! The tools that the commands need on this machine. Installs missing ones.

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

/// The tests accept either server. Some distributions have only the second one.
const SERVERS: [&str; 2] = ["redis-server", "valkey-server"];

/// Makes sure that `cargo SUBCOMMAND` works. If it does not, adds the toolchain component.
pub(crate) fn ensure_component(component: &str, subcommand: &str) -> Result<(), String> {
    let works = || succeeds(&mut cargo(&[subcommand, "--version"]));
    if works() {
        return Ok(());
    }
    let added = announce(&["rustup", "component", "add", component]);
    if works() {
        return Ok(());
    }
    let reason = added.err().unwrap_or_else(|| format!("`cargo {subcommand}` still fails"));
    Err(format!("{component} is missing ({reason}); run `rustup component add {component}`"))
}

/// Makes sure that `cargo SUBCOMMAND` works. If it does not, builds the crate that has it.
pub(crate) fn ensure_cargo_command(subcommand: &str, package: &str) -> Result<(), String> {
    let works = || succeeds(&mut cargo(&[subcommand, "--version"]));
    if works() {
        return Ok(());
    }
    announce(&["cargo", "install", "--locked", package])?;
    if works() { Ok(()) } else { Err(format!("{package} was installed, but `cargo {subcommand}` fails")) }
}

/// Returns the variables that name the tools of LLVM for cargo-llvm-cov. None, if the toolchain has them.
pub(crate) fn ensure_llvm() -> Result<Vec<(&'static str, OsString)>, String> {
    const TOOLS: [(&str, &str); 2] = [("LLVM_COV", "llvm-cov"), ("LLVM_PROFDATA", "llvm-profdata")];
    if TOOLS.iter().all(|(variable, _)| env::var_os(variable).is_some()) {
        return Ok(Vec::new());
    }
    if succeeds(Command::new("rustup").args(["component", "add", "llvm-tools"])) {
        return Ok(Vec::new());
    }
    // The newest version of the system. An older LLVM than the compiler's reads the counters, too.
    let found = || {
        let name = |tool: &str, version: u32| OsString::from(format!("{tool}-{version}"));
        let has_all = |version: &u32| TOOLS.iter().all(|(_, tool)| runs(&name(tool, *version)));
        let version = (19..40).rev().find(has_all)?;
        Some(TOOLS.map(|(variable, tool)| (variable, name(tool, version))).to_vec())
    };
    if let Some(found) = found() {
        return Ok(found);
    }
    let result = install("LLVM", Package::Llvm);
    found().ok_or_else(|| match result {
        Ok(()) => "LLVM was installed, but is not on PATH; set LLVM_COV and LLVM_PROFDATA".to_owned(),
        Err((reason, how)) => format!("LLVM's tools are missing ({reason}); install them ({how})"),
    })
}

/// Makes sure that the standard library of a target is installed.
pub(crate) fn ensure_target(target: &str) -> Result<(), String> {
    let folder = output(Command::new("rustc").args(["--print", "target-libdir", "--target", target]))?;
    if Path::new(folder.trim()).is_dir() { Ok(()) } else { announce(&["rustup", "target", "add", target]) }
}

/// Makes sure that rust-analyzer is installed.
pub(crate) fn ensure_rust_analyzer() -> Result<(), String> {
    let works = || succeeds(Command::new("rust-analyzer").arg("--version"));
    if works() {
        return Ok(());
    }
    announce(&["rustup", "component", "add", "rust-analyzer"])?;
    if works() { Ok(()) } else { Err("rust-analyzer was installed, but still does not run".to_owned()) }
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
    if let Some(server) = installed_server() {
        return Ok(server);
    }
    let (reason, how) = match install("redis-server", Package::Redis) {
        Ok(()) => ("it was installed, but is not on PATH".to_owned(), String::new()),
        Err((reason, how)) => (reason, format!("install it ({how}) or ")),
    };
    installed_server().ok_or_else(|| {
        format!(
            "redis-server is missing ({reason}); {how}set {SERVER_VARIABLE} to a redis-server or \
             valkey-server"
        )
    })
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

/// Makes sure that nginx is installed, behind which tests put a server.
pub(crate) fn ensure_nginx() -> Result<(), String> {
    ensure_program("nginx", Package::Nginx)
}

/// Makes sure that Python has urllib3, a client that recovers from refusals by itself. Tests look for it in `target/python` too.
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
    // Some package managers only have Python, with pip.
    if is_there() || (pip().is_ok() && is_there()) {
        return Ok(());
    }
    let reason =
        by_pip.err().unwrap_or_else(|| "pip has installed it, but `python3` cannot import it".to_owned());
    let how =
        by_system.err().map(|(reason, how)| format!(" ({reason}); install it ({how})")).unwrap_or_default();
    Err(format!("urllib3 for Python is missing: {reason}{how}"))
}

/// Makes sure that Prometheus is installed, which asks the example of the metrics.
pub(crate) fn ensure_prometheus() -> Result<(), String> {
    ensure_program("prometheus", Package::Prometheus)
}

/// Makes sure that wrk is installed, which loads the servers of the benchmarks.
pub(crate) fn ensure_wrk() -> Result<(), String> {
    ensure_program("wrk", Package::Wrk)
}

/// Makes sure that a program is on PATH. Installs the system's package if it is not.
fn ensure_program(program: &str, package: Package) -> Result<(), String> {
    // `-v` prints a version. Whether that is a success depends on the program.
    let is_there = || Command::new(program).arg("-v").output().is_ok();
    if is_there() {
        return Ok(());
    }
    let result = install(program, package);
    if is_there() {
        return Ok(());
    }
    Err(match result {
        Ok(()) => format!("{program} was installed, but is not on PATH"),
        Err((reason, how)) => format!("{program} is missing ({reason}); install it ({how})"),
    })
}

/// Makes sure that there is a C++ compiler, which builds libFuzzer. Looks for it as libFuzzer's build does.
pub(crate) fn ensure_compiler() -> Result<(), String> {
    let program = env::var_os("CXX").filter(|name| !name.is_empty()).unwrap_or_else(|| "c++".into());
    if runs(&program) {
        return Ok(());
    }
    let result = install("a C++ compiler", Package::Compiler);
    if runs(&program) {
        return Ok(());
    }
    Err(match result {
        Ok(()) => format!("`{}` still does not run; set CXX to a C++ compiler", program.display()),
        Err((reason, how)) => format!("a C++ compiler is missing ({reason}); install it ({how})"),
    })
}

/// Makes sure that OpenSSL's headers are installed, which a crate in the benchmarks needs. Only Linux needs them.
pub(crate) fn ensure_openssl() -> Result<(), String> {
    let is_installed = || succeeds(Command::new("pkg-config").args(["--exists", "openssl"]));
    if !cfg!(target_os = "linux") || env::var_os("OPENSSL_DIR").is_some() || is_installed() {
        return Ok(());
    }
    let result = install("OpenSSL's headers", Package::OpenSsl);
    if is_installed() {
        return Ok(());
    }
    Err(match result {
        Ok(()) => {
            "OpenSSL's headers were installed, but pkg-config does not find them; set OPENSSL_DIR".to_owned()
        }
        Err((reason, how)) => {
            format!("OpenSSL's headers are missing ({reason}); install them ({how})")
        }
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

/// Runs the commands that install a package. The last one decides, because a refresh of the lists may fail (one broken
/// mirror is enough) and the package can still be installed.
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

//! What the commands need on the machine: found, or installed when missing.

use crate::install::{self, Manager, Package};
use crate::process::{cargo, output, run, succeeds};
use std::env;
use std::ffi::{OsStr, OsString};
use std::process::Command;

/// Names the Redis server for the tests, here and in `tests/support`.
pub(crate) const SERVER_VARIABLE: &str = "RATELIMIT_REDIS_SERVER";

/// Some distributions ship only the second one; the tests are content with either.
const SERVERS: [&str; 2] = ["redis-server", "valkey-server"];

/// Makes sure that `cargo SUBCOMMAND` works, adding the toolchain component that has it.
pub(crate) fn ensure_component(component: &str, subcommand: &str) -> Result<(), String> {
    let works = || succeeds(&mut cargo(&[subcommand, "--version"]));
    if works() {
        return Ok(());
    }
    let added = announce(&["rustup", "component", "add", component]);
    if works() {
        return Ok(());
    }
    let reason = added.err().unwrap_or_else(|| format!("`cargo {subcommand}` still does not run"));
    Err(format!("{component} is missing ({reason}); add it by hand: rustup component add {component}"))
}

/// Makes sure that rust-analyzer runs.
pub(crate) fn ensure_rust_analyzer() -> Result<(), String> {
    let works = || succeeds(Command::new("rust-analyzer").arg("--version"));
    if works() {
        return Ok(());
    }
    announce(&["rustup", "component", "add", "rust-analyzer"])?;
    if works() { Ok(()) } else { Err("rust-analyzer was added, and still does not run".to_owned()) }
}

/// The Redis server for the tests, installed from the system's packages when there is none.
pub(crate) fn ensure_redis() -> Result<OsString, String> {
    if let Some(named) = env::var_os(SERVER_VARIABLE).filter(|name| !name.is_empty()) {
        return if answers(&named) {
            Ok(named)
        } else {
            Err(format!("`{}`, named by {SERVER_VARIABLE}, does not run", named.display()))
        };
    }
    if let Some(server) = installed_server() {
        return Ok(server);
    }
    let (reason, how) = match install("redis-server", Package::Redis) {
        Ok(()) => ("installed, but not on PATH".to_owned(), String::new()),
        Err((reason, how)) => (reason, format!("install it by hand ({how}) or ")),
    };
    installed_server().ok_or_else(|| {
        format!(
            "redis-server is missing ({reason}); {how}set {SERVER_VARIABLE} to a redis-server or \
             valkey-server, then run this again"
        )
    })
}

/// A compiler for C++, which libFuzzer is written in, as its build will look for it.
pub(crate) fn ensure_compiler() -> Result<(), String> {
    let program = env::var_os("CXX").filter(|name| !name.is_empty()).unwrap_or_else(|| "c++".into());
    if answers(&program) {
        return Ok(());
    }
    let result = install("a C++ compiler", Package::Compiler);
    if answers(&program) {
        return Ok(());
    }
    Err(match result {
        Ok(()) => format!("`{}` still does not run; set CXX to a C++ compiler", program.display()),
        Err((reason, how)) => format!("a C++ compiler is missing ({reason}); install it by hand ({how})"),
    })
}

/// OpenSSL's headers, which a crate asks for that ours is compared with. Other systems have their own TLS.
pub(crate) fn ensure_openssl() -> Result<(), String> {
    let is_there = || succeeds(Command::new("pkg-config").args(["--exists", "openssl"]));
    if !cfg!(target_os = "linux") || env::var_os("OPENSSL_DIR").is_some() || is_there() {
        return Ok(());
    }
    let result = install("headers of OpenSSL", Package::OpenSsl);
    if is_there() {
        return Ok(());
    }
    Err(match result {
        Ok(()) => "OpenSSL's headers were installed, and pkg-config still does not find them".to_owned(),
        Err((reason, how)) => {
            format!("OpenSSL's headers are missing ({reason}); install them by hand ({how})")
        }
    })
}

/// Installs from the system's packages. An error is why it failed, and what a person could do.
fn install(what: &str, package: Package) -> Result<(), (String, String)> {
    println!("no {what} on this machine, installing it");
    let Some(manager) = install::choose(|program| answers(OsStr::new(program))) else {
        return Err(("no known package manager here".to_owned(), "from your system's packages".to_owned()));
    };
    install_with(manager, package).map_err(|reason| (reason, install::by_hand(manager, package)))
}

/// A refresh that fails (one dead mirror is enough) may still leave lists good enough to install from, so
/// the last command decides.
fn install_with(manager: &Manager, package: Package) -> Result<(), String> {
    let mut result = Ok(());
    for words in install::commands(manager, package, is_root()) {
        result = announce(&words);
    }
    result
}

fn installed_server() -> Option<OsString> {
    SERVERS.map(OsString::from).into_iter().find(|server| answers(server))
}

fn answers(program: &OsStr) -> bool {
    succeeds(Command::new(program).arg("--version"))
}

fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// Shows a command and runs it.
pub(crate) fn announce(words: &[&str]) -> Result<(), String> {
    println!("$ {}", words.join(" "));
    let [program, args @ ..] = words else {
        return Ok(());
    };
    run(Command::new(program).args(args)).map_err(|error| format!("`{}`: {error}", words.join(" ")))
}

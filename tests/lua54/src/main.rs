//! A small server with Lua 5.4 that replaces `redis-server` in the store tests: `cargo xtask test --servers lua-5.4`.

#[cfg(lua54)]
mod server;

#[cfg(lua54)]
fn main() -> std::process::ExitCode {
    server::run()
}

#[cfg(not(lua54))]
fn main() {
    eprintln!("built without `--cfg lua54`");
}

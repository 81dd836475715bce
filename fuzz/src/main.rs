//! Runs one fuzz target. If `cargo xtask fuzz` has built it, it runs under libFuzzer. Otherwise it runs on given files, to repeat
//! a failure: `cargo run --package ratelimit-fuzz TARGET FILE..`.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    static TARGET: std::sync::OnceLock<&fuzz::targets::Target> = std::sync::OnceLock::new();
    let target = TARGET.get_or_init(|| {
        let name = std::env::var("RATELIMIT_FUZZ_TARGET").unwrap_or_default();
        fuzz::targets::Target::named(&name)
            .unwrap_or_else(|| panic!("set RATELIMIT_FUZZ_TARGET to the name of a target"))
    });
    target.run(input);
});

#[cfg(not(fuzzing))]
fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let target = fuzz::targets::Target::named(&name).ok_or_else(|| {
        let names = fuzz::targets::TARGETS.map(|target| target.name).join(", ");
        format!("unknown target `{name}`, expected one of {names}")
    })?;
    for path in arguments {
        let input = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
        println!("{path}: {}", String::from_utf8_lossy(&input));
        target.run(&input);
    }
    Ok(())
}

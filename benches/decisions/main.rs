//! What a decision costs: `cargo xtask bench`.
//!
//! All subjects of a table run in turn within each round, and the median of the rounds is printed, so that a busy
//! machine disturbs all alike. Ratios hold better than figures.

mod memory;
mod plain;
mod shared;
mod table;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo bench` passes `--bench`, and `cargo test --benches` passes nothing: then a short round shows that it runs.
    let rounds = if std::env::args().any(|argument| argument == "--bench") { 7 } else { 1 };
    // `cargo bench --bench decisions -- shared` leaves the rest out.
    if !std::env::args().any(|argument| argument == "shared") {
        memory::run(rounds);
    }
    shared::run(rounds)
}

//! The tables, and what the project wants to reach.

use crate::table::Row;

/// At most so many times the figures of quota and of governor.
pub(crate) struct Goals {
    pub(crate) time: [f64; 2],
    pub(crate) memory: Option<f64>,
}

pub(crate) fn machine() {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    println!("{cores} cores, load average {}", load.split_whitespace().next().unwrap_or("unknown"));
}

/// The rows, with bytes per key if they are known, and each of ours as a multiple of the others. The second is quota,
/// the third governor.
pub(crate) fn print(title: &str, rows: &[Row], goals: &Goals, bytes: &[f64]) {
    let heading = if bytes.is_empty() { "" } else { "bytes per key" };
    println!(
        "\n{title:<36} {:>8} {:>13}  {:<32}  {heading:>13}",
        "median", "(spread)", "of quota, of governor (goals)"
    );
    for (at, row) in rows.iter().enumerate() {
        let is_ours = row.subject.starts_with("MemoryStore");
        let shown = |of: f64, others: [f64; 2], goals: [f64; 2]| {
            if !is_ours {
                return String::new();
            }
            format!("{:.2}, {:.2} ({}, {})", of / others[0], of / others[1], goals[0], goals[1])
        };
        let (low, high) = row.spread();
        let spread = format!("({low:.0}-{high:.0})");
        let ratios = shown(row.median(), [1, 2].map(|other| rows[other].median()), goals.time);
        print!("  {:<34} {:>8.1} {spread:>13}  {ratios:<32}", row.subject, row.median());
        if let (Some(goal), [_, quota, governor, ..]) = (goals.memory, bytes) {
            print!(" {:>14.1}  {}", bytes[at], shown(bytes[at], [*quota, *governor], [goal; 2]));
        }
        println!();
    }
}

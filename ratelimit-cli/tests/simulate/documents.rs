//! The plot of the guide is what the command draws now.

use crate::harness::Folder;

/// The command that the guide shows.
const COMMAND: [&str; 12] = [
    "counter count=100 time=1m",
    "sliding_window count=100 time=1m",
    "sliding_log count=100 time=1m",
    "token_bucket count=100 time=1m burst=20",
    "leaky_bucket count=100 time=1m wait=20s",
    "--steady",
    "60/min",
    "--burst",
    "80",
    "--every",
    "2m",
    "--for=10m",
];

/// `UPDATE_EXPECT=1` draws the plot again.
#[test]
fn the_guide_shows_the_plot_of_its_command() {
    let folder = Folder::new();
    folder.run(&[&COMMAND[..], &["--svg", "plot.svg"]].concat()).ok();
    let (drawn, path) =
        (folder.read("plot.svg"), concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/choosing_limits.svg"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &drawn).unwrap();
    }
    let shown = std::fs::read_to_string(path).unwrap_or_default();
    assert!(drawn == shown, "docs/choosing_limits.svg is old: run this test with UPDATE_EXPECT=1");
}

//! The plot of the guide is what the command draws now.

use crate::harness::Folder;

/// The command that the guide shows.
const COMMAND: &str = r#"ratelimit simulate "counter count=100 time=1m" "sliding_window count=100 time=1m" \
    "sliding_log count=100 time=1m" "token_bucket count=100 time=1m burst=20" \
    "leaky_bucket count=100 time=1m wait=20s" --steady 48/min --burst 80 --every 55s --for 5m"#;

const PAGE: &str = include_str!("../../../ratelimit-runtime/docs/choosing-a-limit.md");

/// The arguments after `simulate`, as a shell reads them.
fn arguments() -> Vec<&'static str> {
    let quoted = COMMAND.split('"').enumerate();
    let words = quoted
        .flat_map(|(at, piece)| if at % 2 == 1 { vec![piece] } else { piece.split_whitespace().collect() });
    words.filter(|word| *word != "\\").skip(2).collect()
}

/// `UPDATE_EXPECT=1` draws the plot again.
#[test]
fn the_guide_shows_the_plot_of_its_command() {
    let folder = Folder::new();
    assert!(PAGE.contains(COMMAND), "the guide has another command");
    folder.run(&[&arguments()[..], &["--svg", "plot.svg"]].concat()).ok();
    let (drawn, path) = (
        folder.read("plot.svg"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/../ratelimit-runtime/docs/choosing_limits.svg"),
    );
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &drawn).unwrap();
    }
    let shown = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        drawn == shown,
        "ratelimit-runtime/docs/choosing_limits.svg is old: run this test with UPDATE_EXPECT=1"
    );
}

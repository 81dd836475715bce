//! Tests that the numbers in the guide are the numbers that the command prints.

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

#[test]
fn the_guide_has_the_numbers_of_its_command() {
    assert!(PAGE.contains(COMMAND), "the guide has another command");
    let out = Folder::new().run(&[&arguments()[..], &["--json"]].concat()).ok();
    let out: serde_json::Value = serde_json::from_str(&out).unwrap();
    for limit in out["limits"].as_array().unwrap() {
        let worst = limit["worst_window"]["units"].as_u64().unwrap();
        assert!(PAGE.contains(&format!("| {worst}: ")), "{limit}");
    }
}

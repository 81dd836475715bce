//! Lists the arguments that exclude each other.

use ratelimit_limit::rules::{Algorithm, Number, Turn};

/// Arguments that exclude another one. Numbers that exclude each other are rules of [`Number::check_taken`].
pub struct Exclusion {
    /// Each of these arguments excludes `other`, and gets the caret.
    pub names: &'static [&'static str],
    /// An argument, perhaps with the only value that is excluded: `shadow = true`.
    pub other: &'static str,
    pub why: &'static str,
    /// The algorithms with which the arguments exclude each other. `None`: with each algorithm.
    pub only: Option<fn(Algorithm) -> bool>,
}

const fn exclusion(names: &'static [&'static str], other: &'static str, why: &'static str) -> Exclusion {
    Exclusion { names, other, why, only: None }
}

/// The names of all numbers of a limit.
const NUMBERS: [&str; Number::ALL.len()] = {
    let (mut names, mut at) = ([""; Number::ALL.len()], 0);
    while at < names.len() {
        names[at] = Number::ALL[at].as_str();
        at += 1;
    }
    names
};

/// All pairs of arguments that exclude each other.
#[rustfmt::skip]
pub const EXCLUSIONS: &[Exclusion] = &[
    exclusion(&NUMBERS, "limit", "a `Limit` has all numbers, so remove one of them"),
    exclusion(&["algorithm"], "limit", "a `Limit` has all numbers, so remove one of them"),
    exclusion(&["lease"], "refund_if", LEASED),
    exclusion(&["lease"], "settle", LEASED),
    exclusion(&["lease"], "pause_if", LEASED),
    exclusion(&["block"], "shadow = true", "a limit that refuses nobody blocks nobody, so remove one of them"),
    exclusion(&["pause_if"], "shadow = true", "a limit that refuses nobody pauses nobody, so remove one of them"),
    exclusion(&["settle"], "refund_if", "keep the one that says what the call costs"),
    exclusion(&["refund_if"], "algorithm = \"concurrency\"", "a permit is returned when the function ends, so remove `refund_if`"),
    exclusion(&["settle"], "algorithm = \"concurrency\"", "a permit is returned when the function ends, so remove `settle`"),
    exclusion(&["refund_if"], "until = \"body_end\"", "`refund_if` judges what the function returns, before its body is sent, so write `settle = |sent| ..` with a `ratelimit::body::BodySent`, or remove `until`"),
    exclusion(&["fallible"], "on_limit", "both say what a refused call returns, so remove one of them"),
    Exclusion {
        only: Some(|algorithm| algorithm.turn() == Turn::LaterWindow),
        ..exclusion(&["keep"], "wait", "a call that waits for the next window takes the rest of this one from the calls that `keep` is for, so remove one of them, or write `algorithm = \"token_bucket\"`")
    },
];

const LEASED: &str = "leased units are handed out without asking the store, so remove one of them";

//! Scripts with deliberate mistakes (`mutants.txt`). The tests must notice each mistake.

use crate::harness::{CLOCK, Twins, is_soak, seed};
use crate::models::definitions::{Kind, Numbers};
use crate::models::limits::LIMITS;
use crate::scripts::source_rules::FILES;
use ratelimit::{__testing, RedisStore};

/// A deliberate mistake: a text in a file of `lua/`, and its replacement.
#[derive(Debug)]
pub(super) struct Mutant {
    pub(super) file: &'static str,
    from: &'static str,
    to: &'static str,
}

/// Parses the list. It has a line with the name of a file, followed by lines for each mutant: a text of the file (`- `) and its
/// replacement (`+ `).
fn mutants() -> Vec<Mutant> {
    let (mut mutants, mut file, mut from) = (Vec::new(), "", None);
    for line in include_str!("mutants.txt").lines() {
        match (line.strip_prefix("- "), line.strip_prefix("+ ").or((line == "+").then_some(""))) {
            (Some(text), _) => from = Some(text),
            (None, Some(to)) => {
                mutants.push(Mutant { file, from: from.take().expect("a line with `- ` comes before"), to });
            }
            (None, None) if !line.is_empty() && !line.starts_with('#') => file = line,
            (None, None) => {}
        }
    }
    mutants
}

impl Mutant {
    pub(super) fn text(&self) -> (&'static str, String) {
        let (_, text) =
            FILES.iter().find(|(name, _)| name.trim_end_matches(".lua") == self.file).expect(self.file);
        assert_eq!(text.matches(self.from).count(), 1, "{self:?} is not there, or not only there");
        (text, text.replacen(self.from, self.to, 1))
    }

    pub(super) fn is_single(&self) -> bool {
        self.file.starts_with("single/")
    }

    /// Returns a store that runs the mutant, and the text of `decide`.
    pub(super) fn store(&self, url: &str) -> (RedisStore, String) {
        let (original, mutated) = self.text();
        let [decide, adjust] = self.scripts();
        let single = __testing::single_scripts()
            .map(|(name, text)| (name, if text == original { mutated.as_str() } else { text }));
        let store = if self.is_single() {
            __testing::with_single_scripts(url, CLOCK, single)
        } else {
            assert!(__testing::scripts() != [&decide, &adjust], "{self:?} changes nothing");
            __testing::with_texts(url, CLOCK, &decide, &adjust)
        };
        (store.unwrap(), decide)
    }

    /// The kinds of limits that the file decides.
    pub(super) fn kinds(&self) -> &'static [Kind] {
        match self.file.trim_start_matches("single/") {
            "counter" => &[Kind::Counter],
            "token_bucket" if self.is_single() => &[Kind::Greedy, Kind::Leaky],
            "token_bucket" => &[Kind::Greedy, Kind::Interval, Kind::Leaky],
            "leaky_bucket" => &[Kind::Leaky],
            "sliding_window" => &[Kind::Window],
            "sliding_log" => &[Kind::Log],
            "concurrency" => &[Kind::Concurrency],
            _ => &Kind::ALL,
        }
    }

    /// The limits that the file decides. The scripts for single requests decide no limits with a wait or blocks.
    pub(super) fn limits(&self) -> Vec<Numbers> {
        let decided = |limit: &Numbers| {
            self.kinds().contains(&limit.kind)
                && (!self.is_single() || limit.wait == 0 && limit.block == [0; 3])
        };
        LIMITS.into_iter().filter(decided).collect()
    }
}

/// Selects mutants, because testing all of them takes minutes. An ordinary run tests one of `parts` mutants, which its seed
/// selects. The soak tests all.
fn some(mutants: Vec<Mutant>, parts: usize) -> Vec<Mutant> {
    let step = if is_soak() { 1 } else { parts };
    mutants.into_iter().skip(usize::try_from(seed()).unwrap() % step).step_by(step).collect()
}

/// Asserts that the tests notice each selected mutant of these files.
async fn all_are_noticed(is_of: impl Fn(&str) -> bool) {
    let mut twins = Twins::start();
    let mut survivors = Vec::new();
    let mutants: Vec<Mutant> = mutants().into_iter().filter(|mutant| is_of(mutant.file)).collect();
    assert!(mutants.len() >= 50, "{} mutants", mutants.len());
    let mutants = some(mutants, 24);
    for mutant in &mutants {
        if mutant.noticed(&mut twins).await.is_none() {
            survivors.push(mutant);
        }
    }
    assert!(survivors.is_empty(), "these mutants were not noticed: {survivors:#?}");
}

#[tokio::test]
async fn mutants_of_the_shared_head_are_noticed() {
    all_are_noticed(|file| file == "head").await;
}

#[tokio::test]
async fn mutants_of_decisions_are_noticed() {
    all_are_noticed(|file| file == "decide").await;
}

#[tokio::test]
async fn mutants_of_single_requests_are_noticed() {
    all_are_noticed(|file| file.starts_with("single/")).await;
}

#[tokio::test]
async fn mutants_of_adjustments_and_algorithms_are_noticed() {
    all_are_noticed(|file| !["head", "decide"].contains(&file) && !file.starts_with("single/")).await;
}

/// If unchanged scripts were reported, the tests above would prove nothing.
#[tokio::test]
async fn unchanged_scripts_are_not_reported() {
    let mut twins = Twins::start();
    // Checks the scripts that decide. Other checks notice changes of the other files.
    let files = ["decide.lua", "any_slot.lua"];
    let files = FILES.into_iter().filter(|(file, _)| files.contains(file) || file.starts_with("single/"));
    let unchanged = files.map(|(file, text)| {
        let (from, _) = text.split_once('\n').unwrap();
        Mutant { file: file.trim_end_matches(".lua"), from, to: "-- the first line is a comment" }
    });
    for mutant in &some(unchanged.collect(), 6) {
        assert_eq!(mutant.noticed(&mut twins).await, None, "{}", mutant.file);
    }
}

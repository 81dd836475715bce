//! Scripts with deliberate mistakes (`mutants.txt`): the tests notice each of them.

use crate::harness::{CLOCK, Twins};
use crate::models::definitions::{Kind, Numbers};
use crate::models::random::mixed_traffic;
use crate::models::random::operations::{agree, by_store};
use crate::models::random::traffic::Traffic;
use crate::scripts::foreign_keys::{lasting_keys, longest_list, renews, repairs, spares, spares_numbers};
use crate::scripts::merged_requests;
use crate::scripts::source_rules::FILES;
use ratelimit::{__testing, RedisStore};

const LIMITS: [Numbers; 34] = [
    Numbers::new(Kind::Counter, 2, 1),
    Numbers::new(Kind::Counter, 5, 60_000),
    Numbers::new(Kind::Counter, 4_000_000_000, 500),
    Numbers::new(Kind::Counter, 3, 20).wait(40),
    Numbers::new(Kind::Greedy, 7, 60_000).burst(2),
    Numbers::new(Kind::Greedy, 999_983, 1000).burst(5000),
    Numbers::new(Kind::Greedy, 1, 31_622_400_000),
    Numbers::new(Kind::Greedy, 7, 31_622_400_000),
    Numbers::new(Kind::Greedy, 7, 31_622_400_000).wait(31_622_400_000),
    Numbers::new(Kind::Greedy, 1000, 1).burst(100_000),
    Numbers::new(Kind::Greedy, 1 << 25, 1),
    Numbers::new(Kind::Greedy, 1 << 20, 1).burst(1 << 25),
    Numbers::new(Kind::Greedy, 300, 1000).burst(50).borrow(20).wait(300),
    Numbers::new(Kind::Interval, 1, 1).burst(3),
    Numbers::new(Kind::Interval, 5, 60_000).burst(20),
    Numbers::new(Kind::Interval, 2, 7).burst(9).wait(30),
    Numbers::new(Kind::Interval, 1_000_000, 2_592_000_000),
    Numbers::new(Kind::Leaky, 7, 60_000).burst(10),
    Numbers::new(Kind::Leaky, 300, 1000).wait(100),
    Numbers::new(Kind::Window, 10, 1000),
    Numbers::new(Kind::Window, 300, 100),
    Numbers::new(Kind::Window, 33_554_431, 60),
    Numbers::new(Kind::Window, 5, 60_000).wait(100_000),
    Numbers::new(Kind::Window, 10, 1000).wait(1500),
    Numbers::new(Kind::Log, 10, 1000),
    Numbers::new(Kind::Log, 300, 100),
    Numbers::new(Kind::Log, 5, 60).wait(100),
    Numbers::new(Kind::Log, 10, 1000).wait(3000),
    Numbers::new(Kind::Concurrency, 3, 1000),
    Numbers::new(Kind::Concurrency, 40, 1500),
    Numbers::new(Kind::Concurrency, 2, 1000).wait(30),
    Numbers::new(Kind::Concurrency, 3, 1000).wait(2000),
    Numbers::new(Kind::Concurrency, 10, 2000).wait(3000),
    Numbers::new(Kind::Concurrency, 12, 86_400_000).wait(50),
];

/// A text in a file of `lua/`, and its replacement.
#[derive(Debug)]
struct Mutant {
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

/// Parses the list: a line with the name of a file, and then for each mutant a line of the file (`- `) and its
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
    fn text(&self) -> (&'static str, String) {
        let (_, text) =
            FILES.iter().find(|(name, _)| name.trim_end_matches(".lua") == self.file).expect(self.file);
        assert_eq!(text.matches(self.from).count(), 1, "{self:?} is not there, or not only there");
        (text, text.replacen(self.from, self.to, 1))
    }

    fn is_single(&self) -> bool {
        self.file.starts_with("single/")
    }

    /// A store that runs the mutant, and the text of `decide`.
    fn store(&self, url: &str) -> (RedisStore, String) {
        let (original, mutated) = self.text();
        let [decide, adjust] = __testing::scripts().map(|script| script.replacen(original, &mutated, 1));
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

    /// The limits that the file decides. The scripts for single requests do not decide limits with a wait.
    fn limits(&self) -> Vec<Numbers> {
        let kinds: &[Kind] = match self.file.trim_start_matches("single/") {
            "counter" => &[Kind::Counter],
            "bucket" => &[Kind::Greedy, Kind::Interval, Kind::Leaky],
            "token_bucket" if self.is_single() => &[Kind::Greedy, Kind::Leaky],
            "token_bucket" => &[Kind::Greedy, Kind::Interval],
            "leaky_bucket" => &[Kind::Leaky],
            "sliding_window" => &[Kind::Window],
            "sliding_log" => &[Kind::Log],
            "concurrency" => &[Kind::Concurrency],
            _ => return LIMITS.to_vec(),
        };
        let decided = |limit: &Numbers| kinds.contains(&limit.kind) && (!self.is_single() || limit.wait == 0);
        LIMITS.into_iter().filter(decided).collect()
    }

    /// How the mutant was noticed, or `None`. Few requests notice most mutants, so long runs come last.
    async fn noticed(&self, twins: &mut Twins) -> Option<&'static str> {
        let (store, decide) = self.store(&twins.url());
        twins.redis = store;
        let limits = self.limits();
        for round in 1..=3 {
            for numbers in &limits {
                if differs(twins, numbers, self.is_single(), 100 * round * round, round).await {
                    return Some("by its answers");
                }
                if twins.longest_ttl() > numbers.longest_ttl() || lasting_keys(twins) > 0 {
                    return Some("by how long its keys live");
                }
                // Units of the present, of the past or in debt, and of each turn that is waited for.
                let periods = 2 + u32::try_from(numbers.wait.div_ceil(numbers.time)).unwrap();
                if longest_list(twins) > numbers.count.saturating_mul(periods) {
                    return Some("by how much its keys hold");
                }
            }
            let mut algorithms: Vec<_> = limits.iter().map(|numbers| numbers.limit().algorithm()).collect();
            algorithms.dedup();
            let operations = 1000 * usize::try_from(round).unwrap();
            twins.clear();
            let difference =
                mixed_traffic::first_difference(twins, &algorithms, operations, round % 2 == 0, round);
            if difference.await.is_some() {
                return Some("by its answers to a mixture");
            }
            for numbers in limits.iter().filter(|limit| limit.count < 1000 && limit.wait == 0) {
                twins.clear();
                let merges = !self.is_single() && numbers.kind != Kind::Concurrency;
                if merges && merged_requests::first_difference(twins, &decide, numbers, 1000, round).is_some()
                {
                    return Some("by its answers to merged requests");
                }
                if let Some(how) = odd(twins, numbers).await {
                    return Some(how);
                }
            }
        }
        None
    }
}

async fn odd(twins: &mut Twins, numbers: &Numbers) -> Option<&'static str> {
    let limit = numbers.limit();
    if !repairs(twins, limit).await {
        return Some("by what it makes of a lost deadline");
    }
    if numbers.kind == Kind::Concurrency && !renews(twins, limit).await {
        return Some("by a lease that does not go on");
    }
    let spares = spares(twins, limit).await && spares_numbers(twins, limit).await;
    (!spares).then_some("by what it does to foreign keys")
}

/// Whether random traffic has an outcome that differs from the definition.
async fn differs(twins: &mut Twins, numbers: &Numbers, alone: bool, operations: u64, seed: u64) -> bool {
    twins.clear();
    let mut traffic = Traffic::new(*numbers, seed);
    let mut done = 0;
    while done < operations && traffic.goes_on() {
        let (now, steps) = if alone { traffic.next_alone() } else { traffic.next() };
        twins.set_clock(now);
        let expected = traffic.expected(&steps);
        match by_store(&twins.redis, numbers.limit(), &steps).await {
            Ok(found) if agree(numbers, &steps, &found, &expected) => done += steps.len() as u64,
            _ => return true,
        }
    }
    false
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_mutant_is_noticed() {
    let mut twins = Twins::start();
    let mutants = mutants();
    assert!(mutants.len() >= 40);
    let mut survivors = Vec::new();
    for mutant in &mutants {
        if mutant.noticed(&mut twins).await.is_none() {
            survivors.push(mutant);
        }
    }
    assert!(survivors.is_empty(), "these mutants were not noticed: {survivors:#?}");
}

/// Unchanged scripts must not be reported, or the test above would prove nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unchanged_scripts_are_not_reported() {
    let mut twins = Twins::start();
    // `decide` is part of each decision. The others are the scripts for single requests.
    for (file, text) in
        FILES.into_iter().filter(|(file, _)| *file == "decide.lua" || file.starts_with("single/"))
    {
        let (from, _) = text.split_once('\n').unwrap();
        let file = file.trim_end_matches(".lua");
        let unchanged = Mutant { file, from, to: "-- the first line is a comment" };
        assert_eq!(unchanged.noticed(&mut twins).await, None, "{file}");
    }
}

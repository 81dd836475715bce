//! Makes all sequences. Sequences that lead to the same state continue as one, because no later operation can distinguish them.

use super::alphabet::{Letter, Subject};
use super::memory::Memory;
use super::model::{Model, Step, What, agree};
use crate::interpreter::{Asked, Keys, Server};
use crate::models::random::operations::Outcome;
use ratelimit::store::Mode;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The time of the start in µs: 10 ms before the end of an era. A short state has only the last 11 digits of a time in ms
/// (`lua/head.lua`), and these digits start again at 0 in each era.
const START: u64 = 1_799_999_999_990_000;

/// A reached state: the model, and the keys in the server. `path` is one of the sequences that lead to this state.
struct Reached {
    model: Model,
    keys: Keys,
    path: Vec<Step>,
}

/// The numbers of compared sequences, different states and executed operations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) sequences: u128,
    pub(super) states: u64,
    pub(super) operations: u64,
}

impl Totals {
    pub(super) fn add(&mut self, other: Self) {
        self.sequences += other.sequences;
        self.states += other.states;
        self.operations += other.operations;
    }
}

/// The number of all sequences of up to this length.
fn sequences(letters: usize, length: u32) -> u128 {
    (1..=length).map(|length| (letters as u128).pow(length)).sum()
}

/// Makes all sequences in the scripts. If several sequences lead to the same state, the memory store makes only one of them,
/// followed by each next operation. Returns an error that shows the first sequence whose last outcome disagrees with the
/// definition.
pub(super) fn in_scripts(
    server: &Server,
    subject: &Subject,
    letters: &[Letter],
    length: u32,
) -> Result<Totals, String> {
    let memory = Memory::new(subject);
    let first = Reached { model: Model::new(subject, START), keys: server.empty(), path: Vec::new() };
    let (mut reached, mut totals) = (vec![first], Totals::default());
    totals.sequences = sequences(letters.len(), length);
    for depth in 1..=length {
        let mut next = HashMap::new();
        for from in &reached {
            for letter in letters {
                let to = one_step(server, &memory, subject, from, letter)?;
                totals.operations += 1;
                if depth < length {
                    let text = format!("{:?}|{}", to.model, server.describe(&to.keys));
                    match next.entry(text) {
                        Entry::Vacant(vacant) => {
                            vacant.insert(to);
                        }
                        Entry::Occupied(_) => server.forget(&to.keys),
                    }
                } else {
                    server.forget(&to.keys);
                }
            }
        }
        for from in &reached {
            server.forget(&from.keys);
        }
        totals.states += next.len() as u64;
        reached = next.into_values().collect();
    }
    Ok(totals)
}

fn one_step(
    server: &Server,
    memory: &Memory,
    subject: &Subject,
    from: &Reached,
    letter: &Letter,
) -> Result<Reached, String> {
    let mut model = from.model.clone();
    let (step, expected) = model.make(subject, letter);
    let (keys, by_script) = in_server(server, subject, &from.keys, &step)?;
    let path: Vec<Step> = from.path.iter().cloned().chain([step]).collect();
    memory.clear();
    let mut by_memory = Vec::new();
    for step in &path {
        by_memory = memory.make(step);
    }
    let last = &path[path.len() - 1].what;
    for (store, found) in [("the script", &by_script), ("the memory store", &by_memory)] {
        if !agree(&subject.members[0][0], last, found, &expected) {
            return Err(report(subject, store, &path, found, &expected));
        }
    }
    Ok(Reached { model, keys, path })
}

fn in_server(
    server: &Server,
    subject: &Subject,
    keys: &Keys,
    step: &Step,
) -> Result<(Keys, Vec<Outcome>), String> {
    match step.what {
        What::Adjust { units, change } => {
            let limit = (0, &subject.members[0][step.version]);
            let (keys, changed) = server.adjust(keys, step.now, limit, units, change);
            Ok((keys, vec![Outcome::Units(changed)]))
        }
        What::Ask { mode, costs, permit } => {
            let asked: Vec<Asked> = subject
                .members
                .iter()
                .zip(costs)
                .enumerate()
                .map(|(key, (versions, cost))| Asked {
                    key,
                    numbers: versions[step.version],
                    cost,
                    keep: 0,
                    permit,
                })
                .collect();
            let (after, answers) = server.decide(keys, step.now, mode, &asked);
            // The script for single requests must make the same decision and leave the same keys.
            if let ([one], Mode::Check) = (&*asked, mode)
                && let Some((keys, answer)) = server.decide_single(keys, step.now, one)
            {
                let (single, decided) = (server.describe(&keys), server.describe(&after));
                server.forget(&keys);
                if answer != answers[0] || single != decided {
                    return Err(format!(
                        "{}: {step:?} by the script for single requests: {answer:?} with {single}, not {:?} with {decided}",
                        subject.name, answers[0]
                    ));
                }
            }
            Ok((after, answers.into_iter().map(Outcome::Answer).collect()))
        }
    }
}

fn report(subject: &Subject, store: &str, path: &[Step], found: &[Outcome], expected: &[Outcome]) -> String {
    let steps: Vec<String> = path.iter().map(|step| format!("  {step:?}")).collect();
    format!("{}, by {store}:\n{}\nfound    {found:?}\nexpected {expected:?}", subject.name, steps.join("\n"))
}

/// Makes all sequences of the core letters in the memory store, each from the start.
pub(super) fn in_memory(subject: &Subject, length: u32) -> Result<Totals, String> {
    let memory = Memory::new(subject);
    let mut totals = Totals { sequences: sequences(subject.core, length), ..Totals::default() };
    let mut steps = Vec::new();
    go_on(&memory, subject, &Model::new(subject, START), length, &mut steps, &mut totals)?;
    Ok(totals)
}

fn go_on(
    memory: &Memory,
    subject: &Subject,
    from: &Model,
    length: u32,
    steps: &mut Vec<(Step, Vec<Outcome>)>,
    totals: &mut Totals,
) -> Result<(), String> {
    if length == 0 {
        memory.clear();
        for (at, (step, expected)) in steps.iter().enumerate() {
            let found = memory.make(step);
            totals.operations += 1;
            if !agree(&subject.members[0][0], &step.what, &found, expected) {
                let path: Vec<Step> = steps[..=at].iter().map(|(step, _)| step.clone()).collect();
                return Err(report(subject, "the memory store", &path, &found, expected));
            }
        }
        return Ok(());
    }
    for letter in &subject.letters[..subject.core] {
        let mut model = from.clone();
        steps.push(model.make(subject, letter));
        go_on(memory, subject, &model, length - 1, steps, totals)?;
        steps.pop();
    }
    Ok(())
}

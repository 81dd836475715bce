//! Random texts of attributes, from nearly right to quite wrong; the same ones from the same seed.

use crate::table::ARGUMENTS;
use fastrand::Rng;

/// Words for libFuzzer, and for the texts here.
const DICTIONARY: &str = include_str!("../dictionary.txt");

/// What can stand behind a `=`, whether it fits there or not.
const VALUES: [&str; 28] = [
    "\"login\"",
    "\"report:{id}:{a.b}\"",
    "\"{\"",
    "\"\"",
    "60",
    "0",
    "-1",
    "1.5",
    "5u32",
    "4294967296",
    "60s",
    "\"1h30m\"",
    "\"1m1h\"",
    "\"ip\"",
    "\"global\"",
    "\"token_bucket\"",
    "\"gcra\"",
    "\"concurrency\"",
    "MAX",
    "Self::MAX",
    "user.id",
    "(\"ip\", &a, b % 16)",
    "|result| result.is_err()",
    "Result::is_err",
    "a..",
    "true",
    "async { return }",
    "::my::path",
];

/// The names of all arguments.
#[must_use]
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    ARGUMENTS.iter().map(|argument| argument.name)
}

/// The words of the dictionary.
#[must_use]
pub fn dictionary() -> Vec<String> {
    let entries = DICTIONARY.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    entries.map(|entry| entry.replace("\\\"", "\"")).collect()
}

/// Makes texts.
pub struct Generator {
    random: Rng,
    words: Vec<String>,
}

impl Generator {
    /// The texts of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { random: Rng::with_seed(seed), words: dictionary() }
    }

    /// What could stand between the parentheses of an attribute.
    pub fn arguments(&mut self) -> String {
        let arguments: Vec<String> = (0..self.random.usize(0..6)).map(|_| self.argument()).collect();
        arguments.join(", ")
    }

    /// One of some texts, each on a line, with a few changes.
    pub fn mutated(&mut self, texts: &str) -> String {
        let at = self.random.usize(..texts.lines().count());
        let mut text = texts.lines().nth(at).unwrap_or_default().to_owned();
        for _ in 0..self.random.usize(0..4) {
            let (start, end) = (self.place(&text), self.place(&text));
            let (start, end) = (start.min(end), start.max(end));
            let change = match self.random.u8(0..5) {
                0 => String::new(),
                1 => text[start..end].repeat(2),
                2 => self.random.char(..).to_string(),
                _ => self.word(),
            };
            let end = if self.random.bool() { start } else { end };
            text.replace_range(start..end, &change);
        }
        text
    }

    fn argument(&mut self) -> String {
        match self.random.u8(0..12) {
            0 => self.word(),
            1 => ARGUMENTS[self.random.usize(..ARGUMENTS.len())].example.replace("..", "0"),
            2 => format!("{} {} {}", self.word(), self.word(), self.word()),
            _ => {
                let name = self.random.choice(names()).unwrap_or_default();
                format!("{name} = {}", self.value())
            }
        }
    }

    fn value(&mut self) -> String {
        match self.random.u8(0..8) {
            0 => self.word(),
            1 => format!("{}.{}", self.word(), self.word()),
            2 => format!("({}, {})", self.value(), self.value()),
            _ => self.random.choice(VALUES).unwrap_or_default().to_owned(),
        }
    }

    fn word(&mut self) -> String {
        self.words[self.random.usize(..self.words.len())].clone()
    }

    fn place(&mut self, text: &str) -> usize {
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        self.random.choice(ends.collect::<Vec<_>>()).unwrap_or_default()
    }
}

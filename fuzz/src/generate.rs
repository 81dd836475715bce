//! Generates random texts of attributes, from almost valid to very wrong. The same seed gives the same texts.

use crate::table::ARGUMENTS;
use fastrand::Rng;

/// The words that libFuzzer and the generated texts use.
const DICTIONARY: &str = include_str!("../dictionary.txt");

/// Values of arguments, valid and invalid.
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

/// Generates texts.
pub struct Generator {
    random: Rng,
    words: Vec<String>,
}

impl Generator {
    /// Creates the generator for this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { random: Rng::with_seed(seed), words: dictionary() }
    }

    /// A random argument list of an attribute.
    pub fn arguments(&mut self) -> String {
        let arguments: Vec<String> = (0..self.random.usize(0..6)).map(|_| self.argument()).collect();
        arguments.join(", ")
    }

    /// A random line of `texts`, with a few random changes.
    pub fn mutated(&mut self, texts: &str) -> String {
        let line = self.random.usize(..texts.lines().count());
        let mut text = texts.lines().nth(line).unwrap_or_default().to_owned();
        for _ in 0..self.random.usize(0..4) {
            let (start, end) = (self.position(&text), self.position(&text));
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

    /// A random character boundary.
    fn position(&mut self, text: &str) -> usize {
        let positions = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        self.random.choice(positions.collect::<Vec<_>>()).unwrap_or_default()
    }
}

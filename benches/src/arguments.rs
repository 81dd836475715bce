//! What was asked for on the command line.

use crate::{Effort, PARTS, Part};
use std::time::Duration;

pub(crate) struct Arguments {
    pub(crate) parts: Vec<&'static Part>,
    pub(crate) effort: Effort,
    pub(crate) write: bool,
}

/// Every part, where none is named.
pub(crate) fn parse(given: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut asked = Arguments { parts: Vec::new(), effort: effort(false), write: false };
    let mut words = None;
    for argument in given {
        match (&mut words, argument.as_str()) {
            (Some(words), _) => Vec::push(words, argument),
            (None, "--") => words = Some(Vec::new()),
            (None, "--quick") => asked.effort = effort(true),
            (None, "--write") => asked.write = true,
            (None, name) => {
                let part = PARTS.iter().find(|part| part.name == name);
                let names = PARTS.each_ref().map(|part| part.name).join(", ");
                asked
                    .parts
                    .push(part.ok_or_else(|| format!("unknown part `{name}`, expected some of {names}"))?);
            }
        }
    }
    asked.effort.words = words.unwrap_or_default();
    if asked.parts.is_empty() {
        asked.parts = PARTS.iter().collect();
    }
    Ok(asked)
}

const fn effort(quick: bool) -> Effort {
    let (rounds, millis) = if quick { (3, 120) } else { (7, 300) };
    Effort { quick, rounds, round: Duration::from_millis(millis), words: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, parse};
    use crate::PARTS;

    fn parsed(line: &str) -> Result<Arguments, String> {
        parse(line.split_whitespace().map(String::from))
    }

    fn names(asked: &Arguments) -> Vec<&str> {
        asked.parts.iter().map(|part| part.name).collect()
    }

    #[test]
    fn no_part_means_all() {
        let asked = parsed("").unwrap();
        assert_eq!(names(&asked), PARTS.each_ref().map(|part| part.name));
        assert!(!asked.write && !asked.effort.quick);
    }

    #[test]
    fn parts_and_options_come_in_any_order() {
        let asked = parsed("--write memory --quick lua -- bucket --quick").unwrap();
        assert_eq!(names(&asked), ["memory", "lua"]);
        assert!(asked.write && asked.effort.quick);
        assert_eq!(asked.effort.words, ["bucket", "--quick"]);
    }

    #[test]
    fn an_unknown_part_is_named() {
        let error = parsed("memroy").err().unwrap();
        assert_eq!(error, "unknown part `memroy`, expected some of redis, cluster, memory, attribute, lua");
    }
}

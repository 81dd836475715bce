//! The command line: parts and options.

use crate::{Effort, PARTS, Part};
use std::time::Duration;

pub(crate) struct Arguments {
    pub(crate) parts: Vec<&'static Part>,
    pub(crate) effort: Effort,
    pub(crate) write: bool,
}

/// Parses the arguments. Selects every part if none is named.
pub(crate) fn parse(given: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments { parts: Vec::new(), effort: effort(false), write: false };
    let mut words = None;
    for argument in given {
        match (&mut words, argument.as_str()) {
            (Some(words), _) => Vec::push(words, argument),
            (None, "--") => words = Some(Vec::new()),
            (None, "--quick") => arguments.effort = effort(true),
            (None, "--write") => arguments.write = true,
            (None, name) => {
                let part = PARTS.iter().find(|part| part.name == name);
                let names = PARTS.each_ref().map(|part| part.name).join(", ");
                arguments
                    .parts
                    .push(part.ok_or_else(|| format!("unknown part `{name}`, expected one of {names}"))?);
            }
        }
    }
    arguments.effort.words = words.unwrap_or_default();
    if arguments.parts.is_empty() {
        arguments.parts = PARTS.iter().collect();
    }
    Ok(arguments)
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

    fn names(arguments: &Arguments) -> Vec<&str> {
        arguments.parts.iter().map(|part| part.name).collect()
    }

    #[test]
    fn no_part_means_all() {
        let arguments = parsed("").unwrap();
        assert_eq!(names(&arguments), PARTS.each_ref().map(|part| part.name));
        assert!(!arguments.write && !arguments.effort.quick);
    }

    #[test]
    fn parts_and_options_come_in_any_order() {
        let arguments = parsed("--write memory --quick lua -- bucket --quick").unwrap();
        assert_eq!(names(&arguments), ["memory", "lua"]);
        assert!(arguments.write && arguments.effort.quick);
        assert_eq!(arguments.effort.words, ["bucket", "--quick"]);
    }

    #[test]
    fn an_error_names_the_unknown_part() {
        let error = parsed("memroy").err().unwrap();
        assert_eq!(
            error,
            "unknown part `memroy`, expected one of redis, cluster, regions, memory, attribute, metrics, http, lua"
        );
    }
}

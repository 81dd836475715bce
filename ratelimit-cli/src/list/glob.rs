//! Patterns of names: `*` and `?`.

use std::convert::Infallible;
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// A pattern of names.
#[derive(Clone, Debug)]
pub(crate) struct Glob(Vec<char>);

impl FromStr for Glob {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::new(text))
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|char| f.write_char(*char))
    }
}

impl Glob {
    pub(crate) fn new(pattern: &str) -> Self {
        Self(pattern.chars().collect())
    }

    /// Whether a name matches. The time is at most the product of the two lengths.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let (pattern, name) = (&self.0, name.chars().collect::<Vec<_>>());
        let (mut at, mut read) = (0, 0);
        // Where the last star is, and how much of the name it stands for.
        let mut star: Option<(usize, usize)> = None;
        while read < name.len() {
            match pattern.get(at) {
                Some('*') => {
                    star = Some((at, read));
                    at += 1;
                }
                Some(char) if *char == '?' || *char == name[read] => {
                    at += 1;
                    read += 1;
                }
                _ => {
                    let Some((star_at, until)) = &mut star else { return false };
                    *until += 1;
                    (at, read) = (*star_at + 1, *until);
                }
            }
        }
        pattern[at..].iter().all(|char| *char == '*')
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn patterns_match_names() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("", "a", false),
            ("login", "login", true),
            ("login", "logins", false),
            ("log*", "login", true),
            ("*in", "login", true),
            ("*o?i*", "login", true),
            ("a*b*c", "aXbXbc", true),
            ("a*b*c", "aXbXbd", false),
            ("report:{*}", "report:{kind}", true),
            ("?", "名", true),
        ] {
            assert_eq!(pattern.parse::<Glob>().unwrap().matches(name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn many_stars_are_fast() {
        let glob: Glob = "*a".repeat(30).parse().unwrap();
        assert!(!glob.matches(&"a".repeat(5000).replace("aaaa", "aaab")) || glob.matches("a"), "it ends");
    }
}

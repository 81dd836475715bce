//! Replies and commands, and their encoding in RESP2.

/// The reply to a command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Status(&'static str),
    Integer(i64),
    Text(Vec<u8>),
    Nothing,
    Array(Vec<Self>),
    Error(String),
}

impl Reply {
    pub(crate) const OK: Self = Self::Status("OK");

    pub(crate) fn error(text: &str) -> Self {
        Self::Error(text.to_owned())
    }

    pub(crate) fn text(text: impl Into<Vec<u8>>) -> Self {
        Self::Text(text.into())
    }

    /// Encodes the reply in RESP2.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Status(text) => out.extend(format!("+{text}\r\n").bytes()),
            Self::Integer(number) => out.extend(format!(":{number}\r\n").bytes()),
            Self::Error(text) => out.extend(format!("-{text}\r\n").bytes()),
            Self::Nothing => out.extend(b"$-1\r\n"),
            Self::Text(text) => {
                out.extend(format!("${}\r\n", text.len()).bytes());
                out.extend(text);
                out.extend(b"\r\n");
            }
            Self::Array(parts) => {
                out.extend(format!("*{}\r\n", parts.len()).bytes());
                for part in parts {
                    part.write(out);
                }
            }
        }
    }
}

/// The words of a command: its name and its arguments.
pub(crate) type Words = Vec<Vec<u8>>;

/// Takes the first complete command from the bytes that have arrived. Returns `None` if the command is still incomplete.
pub(crate) fn take_command(input: &mut Vec<u8>) -> Option<Words> {
    let mut at = 0;
    let words = line(input, &mut at)?;
    let mut command = Words::with_capacity(words);
    for _ in 0..words {
        let length = line(input, &mut at)?;
        command.push(input.get(at..at + length)?.to_vec());
        at += length + 2;
    }
    if at > input.len() {
        return None;
    }
    input.drain(..at);
    Some(command)
}

/// Reads the number of a line such as `*2` or `$3`. Returns `None` if the line is incomplete, or has no number.
fn line(input: &[u8], at: &mut usize) -> Option<usize> {
    let rest = input.get(*at..)?;
    let end = rest.windows(2).position(|end| end == b"\r\n")?;
    *at += end + 2;
    std::str::from_utf8(&rest[1..end]).ok()?.parse().ok()
}

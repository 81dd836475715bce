//! What the command line may say.

/// What `--help` prints.
pub(crate) const HELP: &str = "\
Starts a web server with two limited handlers, sends it requests, and shows which of them passed.

Usage: cargo run --example quickstart [-- OPTIONS]

Options:
  --serve    keep the server running, and print commands to try
  --port N   listen on port N instead of any free one
  --help     print this

With RATELIMIT_URL=redis://127.0.0.1 the limits are kept in Redis, else in the memory of the process.
";

/// What to do.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) help: bool,
    pub(crate) serve: bool,
    /// Zero is any free port.
    pub(crate) port: u16,
}

impl Options {
    /// Reads the arguments after the program's name.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--help" | "-h" => options.help = true,
                "--serve" => options.serve = true,
                "--port" => options.port = port(arguments.next().as_deref())?,
                _ => return Err(format!("unknown option `{argument}`: see `--help`")),
            }
        }
        Ok(options)
    }
}

fn port(value: Option<&str>) -> Result<u16, String> {
    let Some(value) = value else {
        return Err("`--port` needs a number: write `--port 3000`".to_owned());
    };
    value.parse().map_err(|_| format!("`--port` takes a number from 0 to 65535, not `{value}`"))
}

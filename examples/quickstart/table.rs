//! The table: one line per call, under the attribute that has decided it.

use crate::client;
use crate::explain;
use crate::story::{Call, OTHER, Scene};
use hyper::StatusCode;
use std::env;
use std::io::{IsTerminal, stdout};

const MORE: &str = "\
The two handlers are in examples/quickstart/server.rs. To keep the server running, or to use Redis:
cargo run --example quickstart -- --help";

/// The whole page.
pub(crate) fn render(place: &str, scenes: &[Scene]) -> String {
    let ink = Ink::of_stdout();
    let mut page = vec![format!("Limits are kept in {place}."), String::new()];
    if !client::can_call_from(OTHER) {
        page.push(format!(
            "No client can call from {OTHER} on this machine, so all requests come from one address."
        ));
        page.push(String::new());
    }
    let heading = cells(["caller", "request", "answer", "remaining", "retry after"]);
    page.push(ink.bold(&heading.join(" ")));
    for scene in scenes {
        page.push(String::new());
        page.push(ink.dim(&scene.attribute));
        for (i, visit) in scene.visits.iter().enumerate() {
            if i > 0 {
                page.push(String::new());
            }
            page.extend(visit.calls.iter().map(|call| row(call, ink)));
        }
    }
    page.push(String::new());
    page.extend(scenes.iter().map(explain::explain));
    page.push(String::new());
    page.push(ink.dim(MORE));
    page.join("\n") + "\n"
}

fn row(call: &Call, ink: Ink) -> String {
    let status = call.answer.status;
    let outcome = match status {
        StatusCode::OK => "passed",
        StatusCode::TOO_MANY_REQUESTS => "refused",
        StatusCode::SERVICE_UNAVAILABLE => "unavailable",
        _ => "unexpected",
    };
    let remaining = call.remaining.map_or("?".to_owned(), |units| units.to_string());
    let retry_after = call.answer.retry_after.map(|seconds| format!("{seconds} s"));
    let mut cells = cells([
        &call.caller.to_string(),
        &call.request,
        &format!("{} {outcome}", status.as_str()),
        &remaining,
        &retry_after.unwrap_or_default(),
    ]);
    cells[2] = match status {
        StatusCode::OK => ink.green(&cells[2]),
        _ => ink.red(&cells[2]),
    };
    cells.join(" ").trim_end().to_owned()
}

/// As wide as their columns. Colours come later: they would count as width.
fn cells([caller, request, answer, remaining, retry_after]: [&str; 5]) -> [String; 5] {
    [
        format!("{caller:<11}"),
        format!("{request:<20}"),
        format!("{answer:<15}"),
        format!("{remaining:>9}"),
        format!("{retry_after:>13}"),
    ]
}

/// Colours, if the reader can see them.
#[derive(Clone, Copy)]
struct Ink {
    coloured: bool,
}

impl Ink {
    fn of_stdout() -> Self {
        let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { coloured: stdout().is_terminal() && !unwanted }
    }

    fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    fn red(self, text: &str) -> String {
        self.with("31", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

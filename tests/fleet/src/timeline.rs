//! Draws a run: a row for the server and for each process, with faults and calls, and the promises that were broken. The axis has equal
//! distances between the moments at which something happens.

#[path = "../../../ratelimit-cli/src/canvas.rs"]
#[allow(dead_code, reason = "a timeline needs a part of it")]
mod canvas;

use crate::history::{Happened, Outcome, Record};
use crate::schedule::{Event, Fault, Schedule};
use canvas::{Drawn, NAME, NOTE, Paper, bar, drawing, write};
use plotters::style::RGBColor;
use std::collections::BTreeSet;
use std::error::Error;
use std::time::Duration;

const ADMITTED: RGBColor = RGBColor(26, 127, 55);
const REFUSED: RGBColor = RGBColor(191, 135, 0);
const UNKNOWN: RGBColor = RGBColor(207, 34, 46);
const DROPPED: RGBColor = RGBColor(140, 149, 159);
const FAULT: RGBColor = RGBColor(31, 35, 40);

/// In pixels.
const LEFT: i32 = 110;
const TOP: i32 = 130;
const LINE: i32 = 16;
const WIDTH: i32 = 1200;

/// The moments at which something happens, and their places.
struct Axis {
    moments: Vec<Duration>,
}

impl Axis {
    fn of(schedule: &Schedule, happened: &Happened) -> Self {
        let steps = schedule.steps.iter().map(|step| step.at);
        let calls = happened.calls.iter().flat_map(|record| [record.sent, record.ended]);
        let released = happened.calls.iter().filter_map(|record| record.released);
        let moments: BTreeSet<Duration> = steps.chain(calls).chain(released).collect();
        Self { moments: moments.into_iter().collect() }
    }

    fn place(&self, moment: Duration) -> i32 {
        let at = self.moments.partition_point(|known| *known < moment);
        let share = at * usize::try_from(WIDTH - LEFT - 60).unwrap_or(1) / self.moments.len().max(1);
        LEFT + i32::try_from(share).unwrap_or(0)
    }
}

/// Something in a row: its times, its color and its words.
struct Mark {
    row: usize,
    from: Duration,
    to: Duration,
    ink: RGBColor,
    words: String,
}

/// Returns the drawing as the text of an SVG file.
pub(crate) fn draw(
    schedule: &Schedule,
    happened: &Happened,
    broken: &[String],
) -> Result<String, Box<dyn Error>> {
    let axis = Axis::of(schedule, happened);
    let mut marks: Vec<Mark> = happened.calls.iter().map(of_call).collect();
    marks.extend(schedule.steps.iter().filter_map(|step| match &step.event {
        Event::Call(_) => None,
        Event::Fault(fault) => Some(of_fault(*fault, step.at)),
        event => Some(Mark { row: 0, from: step.at, to: step.at, ink: FAULT, words: format!("{event:?}") }),
    }));
    marks.sort_by_key(|mark| (mark.row, mark.from));
    let height = TOP + LINE * i32::try_from(marks.len()).unwrap_or(0) + 40;
    let title = format!("Seed {}: a fleet of {}", schedule.seed, schedule.processes);
    let limits: Vec<String> = schedule.limits.iter().map(ToString::to_string).collect();
    let below =
        format!("{}\n{}", limits.join("; "), broken.first().map_or("no promise is broken", String::as_str));
    drawing((WIDTH, height), [&title, &below], |paper| draw_marks(paper, &axis, &marks))
}

fn draw_marks(paper: &Paper<'_>, axis: &Axis, marks: &[Mark]) -> Drawn {
    let mut last_row = None;
    for (y, mark) in (TOP..).step_by(LINE.unsigned_abs() as usize).zip(marks) {
        if last_row != Some(mark.row) {
            let name = if mark.row == 0 { "server".to_owned() } else { format!("process {}", mark.row - 1) };
            write(paper, &name, (16, y + 6), NAME)?;
            last_row = Some(mark.row);
        }
        let (from, to) = (axis.place(mark.from), axis.place(mark.to));
        bar(paper, (from, y + 2), ((to - from).max(3), 8), mark.ink)?;
        let words = format!("{} us  {}", mark.from.as_micros(), mark.words);
        write(paper, &words, (to.max(from + 3) + 6, y + 6), NOTE)?;
    }
    Ok(())
}

fn of_call(record: &Record) -> Mark {
    let ink = match record.outcome {
        Outcome::Admitted => ADMITTED,
        Outcome::Refused(_) => REFUSED,
        Outcome::Unknown(_) => UNKNOWN,
        Outcome::Dropped => DROPPED,
    };
    let call = record.call;
    let words = format!("limit {} caller {} {:?} x{}", call.limit, call.who, call.kind, call.cost);
    Mark {
        row: record.number + 1,
        from: record.sent,
        to: record.released.unwrap_or(record.ended),
        ink,
        words,
    }
}

fn of_fault(fault: Fault, at: Duration) -> Mark {
    let (row, lasts) = match fault {
        Fault::Link(process, _) | Fault::Kill(process) => (process + 1, Duration::ZERO),
        Fault::Silence(process, time) => (process + 1, time),
        Fault::Stall(time) | Fault::Reject(_, time) | Fault::Restart { down: time, .. } => (0, time),
        Fault::ForgetScripts | Fault::Clock { .. } => (0, Duration::ZERO),
    };
    Mark { row, from: at, to: at + lasts, ink: FAULT, words: format!("{fault:?}") }
}

//! Draws `edge_burst.svg`. It shows the same calls for a counter, around the edge between two windows, and for two limits
//! without such an edge. The time is simulated.

use crate::RATE;
use crate::canvas::{self, Drawn, LIMIT, Lettering, NAME, NOTE, Panel, Pen};
use crate::tally::rolling;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;
use ratelimit::clock::ManualClock;
use ratelimit::{Limit, MemoryStore, RateLimiter};
use std::error::Error;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// The burst of the token bucket.
const BURST: u32 = 50;

/// The simulated time, in milliseconds.
const LENGTH: u32 = 4000;

/// The start and the end of two bursts of calls, in milliseconds. In the middle of each burst, a window of the counter ends.
const BURSTS: [(u32, u32); 2] = [(900, 1100), (2900, 3100)];

/// The colors of the traces.
const INKS: [RGBColor; 3] = [RGBColor(188, 76, 0), RGBColor(9, 105, 218), RGBColor(26, 127, 55)];

const SIZE: (i32, i32) = (900, 390);
const CORNER: (i32, i32) = (52, 88);
const PANEL: (i32, i32) = (824, 266);

/// The upper end of the y axis, in calls.
const HIGHEST: u32 = 2 * RATE + RATE / 5;

/// The distance between two points of a line, in milliseconds.
const STEP: usize = 5;

/// The calls that one limit admitted.
struct Trace {
    name: &'static str,
    /// For each millisecond, the calls that were admitted in the second before it.
    rolling: Vec<u32>,
}

/// Simulates the same calls for three limits.
async fn traces() -> Result<[Trace; 3], ratelimit::Error> {
    Ok([
        trace("counter", Limit::counter(RATE, SECOND)).await?,
        trace("sliding_window", Limit::sliding_window(RATE, SECOND)).await?,
        trace("token_bucket", Limit::token_bucket(RATE, SECOND).burst(BURST)).await?,
    ])
}

async fn trace(name: &'static str, limit: Limit) -> Result<Trace, ratelimit::Error> {
    let clock = ManualClock::new();
    let limiter = RateLimiter::builder().store(MemoryStore::with_clock(clock.clone())).build()?;
    let mut admitted = Vec::new();
    for time in 0..LENGTH {
        clock.set(Duration::from_millis(time.into()));
        let mut passed = 0;
        for _ in 0..calls(time) {
            passed += u32::from(limiter.check(&limit, "edge").await.is_ok());
        }
        admitted.push(passed);
    }
    Ok(Trace { name, rolling: rolling(&admitted) })
}

/// Returns the number of calls in a millisecond. A counter's window starts with its first call. So one call long before each
/// burst places the edge of the window in the middle of the burst.
fn calls(time: u32) -> u32 {
    match time {
        0 | 2000 => 1,
        _ if BURSTS.iter().any(|(begin, end)| (*begin..*end).contains(&time)) => 10,
        _ => 0,
    }
}

/// Returns the drawing as the text of an SVG file.
pub(crate) async fn draw() -> Result<String, Box<dyn Error>> {
    let traces = traces().await?;
    let title = format!("The same calls against three limits of {RATE} per second");
    let axes = format!(
        "calls admitted in the last second; the counter's windows end at 1, 2, 3 and 4 s; the token bucket holds {BURST}"
    );
    canvas::drawing(SIZE, [&title, &axes], |paper| {
        let length = seconds(LENGTH);
        let mut panel = Panel::new(paper, CORNER, PANEL, (length, HIGHEST.into()))?;
        for (begin, end) in BURSTS {
            panel.band(seconds(begin)..seconds(end))?;
            let middle = (seconds(u32::midpoint(begin, end)), HIGHEST.into());
            panel.words("calls come", middle, (0, -8), Lettering { end: HPos::Center, ..NOTE })?;
        }
        panel.heights(canvas::heights(&[0, RATE / 2, RATE, RATE * 3 / 2, 2 * RATE], true))?;
        panel.times(canvas::seconds(LENGTH / 1000, 1))?;
        panel.dashes(RATE.into(), LIMIT)?;
        panel.words("limit", (0.0, RATE.into()), (4, -9), Lettering { ink: LIMIT.ink, ..NOTE })?;
        for (trace, ink) in traces.iter().zip(INKS) {
            line(&mut panel, trace, ink)?;
        }
        Ok(())
    })
}

/// Draws the line of a limit, with the limit's name and its value after the first burst.
fn line(panel: &mut Panel<'_>, trace: &Trace, ink: RGBColor) -> Drawn {
    let points = (0_u32..).zip(&trace.rolling).step_by(STEP);
    panel.line(points.map(|(time, sum)| (seconds(time), f64::from(*sum))), Pen { ink, width: 9 })?;
    let end = BURSTS[0].1;
    let height = trace.rolling.get(usize::try_from(end)?).copied().unwrap_or_default();
    let words = format!("{}: {height}", trace.name);
    panel.words(&words, (seconds(end), height.into()), (8, -11), Lettering { ink, ..NAME })
}

fn seconds(milliseconds: u32) -> f64 {
    f64::from(milliseconds) / 1000.0
}

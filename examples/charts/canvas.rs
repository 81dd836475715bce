//! The drawing functions of the chart examples, in addition to the shared canvas: legends of lines, limits and bands.

#[path = "../drawing.rs"]
#[allow(dead_code, reason = "each example draws with a part of it")]
mod shared;

use plotters::prelude::*;
use shared::SCALE;
pub(crate) use shared::{Drawn, INK, Lettering, NAME, NOTE, Panel, Paper, Pen, bar, drawing, write};
use std::ops::Range;

const BAND: RGBColor = RGBColor(240, 243, 246);

/// The style of the dashed line that shows a limit.
pub(crate) const LIMIT: Pen = Pen { ink: RGBColor(207, 34, 46), width: 4 };

/// Draws a short horizontal line for a legend.
pub(crate) fn sample(paper: &Paper<'_>, (x, y): (i32, i32), length: i32, pen: Pen) -> Drawn {
    let ends = [x, x + length].map(|x| (x * SCALE, y * SCALE));
    Ok(paper.draw(&PathElement::new(ends, stroke(pen)))?)
}

/// Returns grid lines at the given heights, with or without labels.
pub(crate) fn heights(heights: &[u32], labelled: bool) -> impl Iterator<Item = (f64, String)> {
    heights
        .iter()
        .map(move |height| (f64::from(*height), if labelled { height.to_string() } else { String::new() }))
}

/// Returns labels of the x axis in seconds.
pub(crate) fn seconds(length: u32, step: u32) -> impl Iterator<Item = (f64, String)> {
    let times = (0..=length).filter(move |time| time.is_multiple_of(step));
    times.map(|time| (time.into(), if time == 0 { "0".to_owned() } else { format!("{time} s") }))
}

impl Panel<'_> {
    /// Draws a dashed horizontal line.
    pub(crate) fn dashes(&mut self, height: f64, pen: Pen) -> Drawn {
        let ends = [0.0, self.chart.x_range().end].map(|x| (x, height));
        self.chart.draw_series(DashedLineSeries::new(ends, 4 * SCALE, 4 * SCALE, stroke(pen)))?;
        Ok(())
    }

    /// Marks an interval of the x axis by a pale background.
    pub(crate) fn band(&mut self, x: Range<f64>) -> Drawn {
        let top = self.chart.y_range().end;
        self.chart.draw_series([Rectangle::new([(x.start, 0.0), (x.end, top)], BAND.filled())])?;
        Ok(())
    }
}

fn stroke(pen: Pen) -> ShapeStyle {
    pen.ink.stroke_width(pen.width)
}

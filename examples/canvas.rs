//! Paper, ink and axes, the same in all drawings.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;
use std::ops::Range;

pub(crate) type Paper<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Drawn = Result<(), Box<dyn Error>>;
type Plane = Cartesian2d<RangedCoordf64, RangedCoordf64>;
type Point = (f64, f64);

pub(crate) const INK: RGBColor = RGBColor(31, 35, 40);
pub(crate) const PALE_INK: RGBColor = RGBColor(89, 99, 110);
const RED: RGBColor = RGBColor(207, 34, 46);
const GRID: RGBColor = RGBColor(226, 230, 235);
const BAND: RGBColor = RGBColor(240, 243, 246);

/// Coordinates are whole numbers, so a drawing is made larger, and shown at its size.
const SCALE: i32 = 4;

/// How a line is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Pen {
    pub(crate) ink: RGBColor,
    /// In quarters of a pixel.
    pub(crate) width: u32,
}

/// What a limit is drawn with, in dashes.
pub(crate) const LIMIT: Pen = Pen { ink: RED, width: 4 };

/// How words are written: their height in pixels, and which end of them is at the given place.
#[derive(Clone, Copy)]
pub(crate) struct Lettering {
    pub(crate) height: i32,
    pub(crate) ink: RGBColor,
    pub(crate) end: HPos,
}

pub(crate) const NAME: Lettering = Lettering { height: 13, ink: INK, end: HPos::Left };
pub(crate) const NOTE: Lettering = Lettering { height: 12, ink: PALE_INK, end: HPos::Left };
const TITLE: Lettering = Lettering { height: 16, ..NAME };
const HEIGHT: Lettering = Lettering { height: 11, ink: PALE_INK, end: HPos::Right };
const TIME: Lettering = Lettering { end: HPos::Center, ..HEIGHT };

/// A drawing of this size in pixels under two lines of words, as the text of an SVG file.
pub(crate) fn drawing(
    (width, height): (i32, i32),
    [title, axes]: [&str; 2],
    draw: impl FnOnce(&Paper<'_>) -> Drawn,
) -> Result<String, Box<dyn Error>> {
    let large = |pixels: i32| (pixels * SCALE).unsigned_abs();
    let mut svg = String::new();
    {
        let paper = SVGBackend::with_string(&mut svg, (large(width), large(height))).into_drawing_area();
        paper.fill(&WHITE)?;
        write(&paper, title, (16, 24), TITLE)?;
        write(&paper, axes, (16, 46), NOTE)?;
        draw(&paper)?;
        paper.present()?;
    }
    let shown = |width, height| format!("width=\"{width}\" height=\"{height}\"");
    let (enlarged, size) =
        (shown(large(width), large(height)), shown(width.unsigned_abs(), height.unsigned_abs()));
    Ok(svg.replacen(&enlarged, &size, 1))
}

/// Words at a place in pixels, their middle at its height.
pub(crate) fn write(paper: &Paper<'_>, words: &str, (x, y): (i32, i32), lettering: Lettering) -> Drawn {
    // The backend divides by this.
    let size = f64::from(lettering.height * SCALE) * 1.24;
    let font = FontDesc::new(FontFamily::SansSerif, size, FontStyle::Normal);
    let style = TextStyle::from(font).color(&lettering.ink).pos(Pos::new(lettering.end, VPos::Center));
    Ok(paper.draw_text(words, &style, (x * SCALE, y * SCALE))?)
}

/// A piece of a line from left to right, for a legend.
pub(crate) fn sample(paper: &Paper<'_>, (x, y): (i32, i32), length: i32, pen: Pen) -> Drawn {
    let ends = [x, x + length].map(|x| (x * SCALE, y * SCALE));
    Ok(paper.draw(&PathElement::new(ends, stroke(pen)))?)
}

/// A filled rectangle, from its upper left corner.
pub(crate) fn bar(
    paper: &Paper<'_>,
    (x, y): (i32, i32),
    (width, height): (i32, i32),
    ink: RGBColor,
) -> Drawn {
    let corners = [(x, y), (x + width, y + height)].map(|(x, y)| (x * SCALE, y * SCALE));
    Ok(paper.draw(&Rectangle::new(corners, ink.filled()))?)
}

/// A rectangle with axes.
pub(crate) struct Panel<'a> {
    chart: ChartContext<'a, SVGBackend<'a>, Plane>,
    paper: Paper<'a>,
}

impl<'a> Panel<'a> {
    /// From the upper left corner, in pixels. The axes begin at zero and have these ends.
    pub(crate) fn new(
        paper: &Paper<'a>,
        (left, top): (i32, i32),
        (width, height): (i32, i32),
        (x, y): Point,
    ) -> Result<Self, Box<dyn Error>> {
        let area = paper.clone().shrink((left * SCALE, top * SCALE), (width * SCALE, height * SCALE));
        let chart = ChartBuilder::on(&area).build_cartesian_2d(0.0..x, 0.0..y)?;
        Ok(Self { chart, paper: paper.clone() })
    }

    /// A line through these points.
    pub(crate) fn line(&mut self, points: impl IntoIterator<Item = Point>, pen: Pen) -> Drawn {
        let points = without_the_flat(&points.into_iter().collect::<Vec<_>>());
        self.chart.draw_series(LineSeries::new(points, stroke(pen)))?;
        Ok(())
    }

    /// A dashed line from left to right.
    pub(crate) fn dashes(&mut self, height: f64, pen: Pen) -> Drawn {
        let ends = [0.0, self.chart.x_range().end].map(|x| (x, height));
        self.chart.draw_series(DashedLineSeries::new(ends, 4 * SCALE, 4 * SCALE, stroke(pen)))?;
        Ok(())
    }

    /// A pale rectangle over the whole height.
    pub(crate) fn band(&mut self, x: Range<f64>) -> Drawn {
        let top = self.chart.y_range().end;
        self.chart.draw_series([Rectangle::new([(x.start, 0.0), (x.end, top)], BAND.filled())])?;
        Ok(())
    }

    /// Pale lines from left to right, and the axis in ink.
    pub(crate) fn heights(&mut self, heights: &[u32], labelled: bool) -> Drawn {
        let right = self.chart.x_range().end;
        for height in heights {
            let ink = if *height == 0 { PALE_INK } else { GRID };
            let y = f64::from(*height);
            self.line([(0.0, y), (right, y)], Pen { ink, width: 4 })?;
            if labelled {
                self.words(&height.to_string(), (0.0, y), (-6, 0), HEIGHT)?;
            }
        }
        Ok(())
    }

    /// Seconds below the panel.
    pub(crate) fn times(&mut self, seconds: u32, step: u32) -> Drawn {
        for time in (0..=seconds).step_by(usize::try_from(step)?) {
            let words = if time == 0 { "0".to_owned() } else { format!("{time} s") };
            self.words(&words, (time.into(), 0.0), (0, 13), TIME)?;
        }
        Ok(())
    }

    /// Words so far from a point.
    pub(crate) fn words(
        &mut self,
        words: &str,
        point: Point,
        (right, down): (i32, i32),
        lettering: Lettering,
    ) -> Drawn {
        let (x, y) = self.chart.backend_coord(&point);
        write(&self.paper, words, (x / SCALE + right, y / SCALE + down), lettering)
    }
}

/// The same line with fewer points, which makes the file a third as large.
fn without_the_flat(points: &[Point]) -> Vec<Point> {
    let flat = |at: usize| {
        let height = |at: usize| points.get(at).map(|point| point.1.to_bits());
        at > 0 && height(at - 1) == height(at) && height(at) == height(at + 1)
    };
    let kept = points.iter().enumerate().filter(|(at, _)| !flat(*at));
    kept.map(|(_, point)| *point).collect()
}

fn stroke(pen: Pen) -> ShapeStyle {
    pen.ink.stroke_width(pen.width)
}

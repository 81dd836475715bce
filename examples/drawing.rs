//! Draws SVG files with one style: text, bars, lines, areas and axes. The examples, the benchmarks and `tests/fleet` include
//! this file.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

pub(crate) type Paper<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Drawn = Result<(), Box<dyn Error>>;
type Plane = Cartesian2d<RangedCoordf64, RangedCoordf64>;
pub(crate) type Point = (f64, f64);

pub(crate) const INK: RGBColor = RGBColor(31, 35, 40);
pub(crate) const PALE_INK: RGBColor = RGBColor(89, 99, 110);
pub(crate) const GRID: RGBColor = RGBColor(226, 230, 235);

/// The factor by which a drawing is larger than its shown size, because the backend has integer coordinates.
pub(crate) const SCALE: i32 = 4;

/// The style of a line.
#[derive(Clone, Copy)]
pub(crate) struct Pen {
    pub(crate) ink: RGBColor,
    /// The width of the line, in quarters of a pixel.
    pub(crate) width: u32,
}

/// The style of text: its height in pixels, its color, and which of its ends is at the given position.
#[derive(Clone, Copy)]
pub(crate) struct Lettering {
    pub(crate) height: i32,
    pub(crate) ink: RGBColor,
    pub(crate) end: HPos,
}

pub(crate) const NAME: Lettering = Lettering { height: 13, ink: INK, end: HPos::Left };
pub(crate) const NOTE: Lettering = Lettering { height: 12, ink: PALE_INK, end: HPos::Left };
const TITLE: Lettering = Lettering { height: 16, ..NAME };
const VALUE: Lettering = Lettering { height: 11, ink: PALE_INK, end: HPos::Right };
const TIME: Lettering = Lettering { end: HPos::Center, ..VALUE };

/// Draws an SVG file with the given size in pixels, a title, and text below the title. Returns the text of the file.
pub(crate) fn drawing(
    (width, height): (i32, i32),
    [title, below]: [&str; 2],
    draw: impl FnOnce(&Paper<'_>) -> Drawn,
) -> Result<String, Box<dyn Error>> {
    let large = |pixels: i32| (pixels * SCALE).unsigned_abs();
    let mut svg = String::new();
    {
        let paper = SVGBackend::with_string(&mut svg, (large(width), large(height))).into_drawing_area();
        paper.fill(&WHITE)?;
        write(&paper, title, (16, 24), TITLE)?;
        for (y, line) in (46..).step_by(18).zip(below.lines()) {
            write(&paper, line, (16, y), NOTE)?;
        }
        draw(&paper)?;
        paper.present()?;
    }
    let shown = |width, height| format!("width=\"{width}\" height=\"{height}\"");
    let enlarged = shown(large(width), large(height));
    let size = shown(width.unsigned_abs(), height.unsigned_abs());
    Ok(svg.replacen(&enlarged, &format!("{size} role=\"img\""), 1))
}

/// Writes text at a position in pixels, vertically centered.
pub(crate) fn write(paper: &Paper<'_>, words: &str, (x, y): (i32, i32), lettering: Lettering) -> Drawn {
    // The backend divides the size of a font by 1.24.
    let size = f64::from(lettering.height * SCALE) * 1.24;
    let font = FontDesc::new(FontFamily::SansSerif, size, FontStyle::Normal);
    let style = TextStyle::from(font).color(&lettering.ink).pos(Pos::new(lettering.end, VPos::Center));
    Ok(paper.draw_text(words, &style, (x * SCALE, y * SCALE))?)
}

/// Draws a filled rectangle. The position is its upper left corner.
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
    pub(crate) chart: ChartContext<'a, SVGBackend<'a>, Plane>,
    paper: Paper<'a>,
}

impl<'a> Panel<'a> {
    /// Places a panel by its upper left corner and its size in pixels. The axes go from zero to `x` and `y`.
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

    /// Draws a line through points.
    pub(crate) fn line(&mut self, points: impl IntoIterator<Item = Point>, pen: Pen) -> Drawn {
        let points = without_flat_points(&points.into_iter().collect::<Vec<_>>());
        self.chart.draw_series(LineSeries::new(points, pen.ink.stroke_width(pen.width)))?;
        Ok(())
    }

    /// Fills the area below a line.
    pub(crate) fn area(&mut self, points: impl IntoIterator<Item = Point>, ink: RGBColor) -> Drawn {
        let mut points = without_flat_points(&points.into_iter().collect::<Vec<_>>());
        if let (Some(first), Some(last)) = (points.first().copied(), points.last().copied()) {
            points.extend([(last.0, 0.0), (first.0, 0.0)]);
            self.chart.draw_series([Polygon::new(points, ink.filled())])?;
        }
        Ok(())
    }

    /// Draws horizontal grid lines with their labels, and the x axis.
    pub(crate) fn heights(&mut self, heights: impl IntoIterator<Item = (f64, String)>) -> Drawn {
        let right = self.chart.x_range().end;
        for (y, label) in heights {
            let ink = if y > 0.0 { GRID } else { PALE_INK };
            self.line([(0.0, y), (right, y)], Pen { ink, width: 4 })?;
            self.words(&label, (0.0, y), (-6, 0), VALUE)?;
        }
        Ok(())
    }

    /// Labels the x axis.
    pub(crate) fn times(&mut self, times: impl IntoIterator<Item = (f64, String)>) -> Drawn {
        for (x, label) in times {
            self.words(&label, (x, 0.0), (0, 13), TIME)?;
        }
        Ok(())
    }

    /// Writes text at an offset in pixels from a point.
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

/// Removes the inner points of horizontal pieces of a line, which makes the file two thirds smaller.
fn without_flat_points(points: &[Point]) -> Vec<Point> {
    let flat = |at: usize| {
        let height = |at: usize| points.get(at).map(|point| point.1.to_bits());
        at > 0 && height(at - 1) == height(at) && height(at) == height(at + 1)
    };
    let kept = points.iter().enumerate().filter(|(at, _)| !flat(*at));
    kept.map(|(_, point)| *point).collect()
}

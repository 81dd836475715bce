//! SVG: a scene as text, with fixed colors for files, or with classes for a page that chooses the colors.

use super::scene::{Area, End, Ink, Scene, Shape, Words, hex};
use std::fmt::Write;

/// Where the colors of a drawing come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colors {
    /// They are in the drawing.
    Fixed,
    /// The page around the drawing has a variable `--NAME` for each ink.
    OfPage,
}

const FONT: &str = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

pub(crate) fn svg(scene: &Scene, colors: Colors) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let description = escaped(&scene.description);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{description}\" font-family=\"{FONT}\" font-size=\"12\">\n"
    );
    for shape in &scene.shapes {
        let line = match shape {
            Shape::Skyline(_, bars) if bars.is_empty() => continue,
            Shape::Skyline(ink, bars) => path(*ink, &skyline(bars), colors),
            Shape::Area(ink, area) => path(*ink, &skyline(std::slice::from_ref(area)), colors),
            Shape::Steps { ink, width, points } => {
                let points: Vec<String> =
                    points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
                format!(
                    "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" points=\"{}\"/>",
                    color(*ink, colors),
                    number(*width),
                    points.join(" ")
                )
            }
            Shape::Words(words) => written(words, colors),
        };
        text += &line;
        text.push('\n');
    }
    text += "</svg>\n";
    text
}

fn path(ink: Ink, outline: &str, colors: Colors) -> String {
    format!("<path fill=\"{}\" d=\"{outline}\"/>", color(ink, colors))
}

/// The outlines of bars. Bars that touch have one outline.
fn skyline(bars: &[Area]) -> String {
    let touch = |one: &Area, next: &Area| (one.x + one.width - next.x).abs() < 0.001;
    let outline = |run: &[Area]| {
        let edges = run.iter().map(|bar| format!("V{}H{}", number(bar.y), number(bar.x + bar.width)));
        let edges = edges.collect::<Vec<_>>().concat();
        let (left, bottom) = run.first().map_or((0.0, 0.0), |bar| (bar.x, bar.y + bar.height));
        format!("M{} {bottom}{edges}V{bottom}z", number(left), bottom = number(bottom))
    };
    bars.chunk_by(touch).map(outline).collect::<Vec<_>>().concat()
}

fn written(words: &Words, colors: Colors) -> String {
    let (x, y, fill) = (number(words.x), number(words.y), color(words.ink, colors));
    let mut text = format!("<text x=\"{x}\" y=\"{y}\" fill=\"{fill}\"");
    let anchor = match words.end {
        End::Left => "",
        End::Middle => " text-anchor=\"middle\"",
        End::Right => " text-anchor=\"end\"",
    };
    text += anchor;
    let pixels = number(words.size.pixels());
    if pixels != "12" {
        let _ = write!(text, " font-size=\"{pixels}\"");
    }
    if words.is_bold {
        text += " font-weight=\"600\"";
    }
    text + ">" + &escaped(&words.text) + "</text>"
}

fn color(ink: Ink, colors: Colors) -> String {
    match colors {
        Colors::Fixed => hex(ink.light()),
        Colors::OfPage => format!("var(--{})", ink.name()),
    }
}

/// A number with at most two digits after the point.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text between tags or in an attribute. Control characters, which XML does not allow, become `?`.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            _ if letter.is_control() || letter == '\u{fffe}' || letter == '\u{ffff}' => escaped.push('?'),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([1.0, 0.5, 12.346, -0.001, 100.0].map(number), ["1", "0.5", "12.35", "0", "100"]);
    }

    #[test]
    fn bars_that_touch_have_one_outline() {
        let bar = |x, height| Area { x, y: 9.0 - height, width: 2.0, height };
        let outline = skyline(&[bar(1.0, 3.0), bar(3.0, 4.0), bar(8.0, 5.0)]);
        assert_eq!(outline, "M1 9V6H3V5H5V9zM8 9V4H10V9z");
    }

    #[test]
    fn text_of_a_log_cannot_leave_its_place() {
        assert_eq!(escaped("<b a=\"'\">&\u{1b}[1m"), "&lt;b a=&quot;&#39;&quot;&gt;&amp;?[1m");
    }
}

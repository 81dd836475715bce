//! Tables as bar charts, in two columns of one SVG file.

use super::series::{Series, shown};
use super::table::{Better, Row, Table};
use std::fmt::Write as _;

const INK: &str = "#1F2328";
const PALE_INK: &str = "#59636E";
const OURS: &str = "#0A4A8F";
const OURS_SPREAD: &str = "#6CA6E8";
const OTHERS: &str = "#B6C2CE";
const LINE: &str = "#D1D9E0";

const WIDTH: f64 = 900.0;
const MARGIN: f64 = 16.0;
const PANEL: f64 = 418.0;
/// Where the bars of a panel begin, and the length of the longest bar.
const BARS_FROM: f64 = 192.0;
const LONGEST: f64 = 164.0;
/// How much longer than the longest bar the line of its rounds can be.
const LONGEST_LINE: f64 = 1.12;
/// The room for a figure behind its bar.
const FIGURE: f64 = 46.0;
/// The length of the longest bar if there is only one panel.
const LONGEST_ALONE: f64 = (WIDTH - MARGIN - BARS_FROM - FIGURE) / LONGEST_LINE;
const ROW: f64 = 21.0;
const BAR: f64 = 12.0;

/// Draws the selected columns of the tables. `None` if no column is selected.
pub(crate) fn svg(title: &str, subtitle: &str, tables: &[Table]) -> Option<String> {
    let mut panels = String::new();
    let mut heights = [72.0; 2];
    let drawn: Vec<(&Table, (usize, Better))> =
        tables.iter().flat_map(|table| table.drawn.iter().map(move |&drawn| (table, drawn))).collect();
    let longest = if drawn.len() == 1 { LONGEST_ALONE } else { LONGEST };
    for (at, (table, drawn)) in drawn.into_iter().enumerate() {
        let side = at % 2;
        let left = if side == 0 { MARGIN } else { WIDTH - MARGIN - PANEL };
        heights[side] += panel(&mut panels, (left, heights[side], longest), table, drawn) + 24.0;
    }
    if panels.is_empty() {
        return None;
    }
    let height = heights[0].max(heights[1]);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n"
    );
    write(&mut svg, (MARGIN, 28.0), &format!("fill=\"{INK}\" font-size=\"16\""), title);
    write(&mut svg, (MARGIN, 48.0), &format!("fill=\"{PALE_INK}\""), subtitle);
    svg.push_str(&panels);
    svg.push_str("</svg>\n");
    Some(svg)
}

/// Draws one table. Returns its height.
fn panel(
    svg: &mut String,
    (left, top, longest): (f64, f64, f64),
    table: &Table,
    (column, better): (usize, Better),
) -> f64 {
    let longer = match better {
        Better::Less => "shorter is better",
        Better::More => "longer is better",
    };
    write(svg, (left, top + 12.0), &format!("fill=\"{INK}\" font-size=\"13\""), &table.title);
    let axis = format!("{}; {longer}", table.columns[column]);
    write(svg, (left, top + 29.0), &format!("fill=\"{PALE_INK}\" font-size=\"11\""), &axis);
    let drawn: Vec<(&Row, &Series)> =
        table.rows.iter().filter_map(|row| Some((row, row.figures.get(column)?))).collect();
    let scale = longest / longest_full(drawn.iter().map(|(_, series)| series.median()));
    let first = top + 40.0;
    for (at, (row, series)) in drawn.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a few rows")]
        bar(svg, (left, ROW.mul_add(at as f64, first)), row, series, (scale, longest));
    }
    #[expect(clippy::cast_precision_loss, reason = "a few rows")]
    let last = ROW.mul_add(drawn.len() as f64, first);
    let axis = left + BARS_FROM;
    let _ = writeln!(
        svg,
        "<path d=\"M{axis:.1} {:.1}V{:.1}\" stroke=\"{LINE}\" fill=\"none\"/>",
        first - 2.0,
        last - 2.0
    );
    last - top
}

/// The figure of the longest full bar. If one figure of many is far above the others, its bar is cut.
fn longest_full(medians: impl Iterator<Item = f64>) -> f64 {
    let mut medians: Vec<f64> = medians.filter(|median| median.is_finite()).collect();
    medians.sort_by(f64::total_cmp);
    match medians[..] {
        [_, .., next, most] if medians.len() > 3 && most > 3.0 * next => 1.5 * next,
        _ => medians.last().copied().unwrap_or(1.0),
    }
}

/// Draws the name, the bar, the figure, and a thin line from the lowest to the highest round. A gap marks a bar that was
/// cut.
fn bar(svg: &mut String, (left, top): (f64, f64), row: &Row, series: &Series, (scale, longest): (f64, f64)) {
    // A round that was much worse than the others must stay inside the panel.
    let length = |figure: f64| (figure * scale).min(longest * LONGEST_LINE);
    let (from, middle) = (left + BARS_FROM, top + BAR / 2.0 + 2.0);
    let (paint, spread, words) = if row.is_ours {
        (OURS, OURS_SPREAD, format!("fill=\"{INK}\" font-weight=\"bold\""))
    } else {
        (OTHERS, PALE_INK, format!("fill=\"{INK}\""))
    };
    let anchored = format!("{words} text-anchor=\"end\" font-size=\"11\"");
    write(svg, (from - 8.0, middle + 4.0), &anchored, &row.subject);
    let median = series.median();
    let _ = writeln!(
        svg,
        "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\" fill=\"{paint}\"/>",
        middle - BAR / 2.0,
        length(median).max(1.0)
    );
    let mut end = from + length(median);
    if median * scale > longest * 1.001 {
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {:.1}l6 -{}\" stroke=\"#FFFFFF\" stroke-width=\"4\" fill=\"none\"/>",
            end - 24.0,
            middle + BAR / 2.0 + 1.0,
            BAR + 2.0
        );
    } else if let Some((low, high)) = series.spread() {
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {middle:.1}H{:.1}\" stroke=\"{spread}\" stroke-width=\"1.5\" fill=\"none\"/>",
            from + length(low),
            from + length(high)
        );
        end = end.max(from + length(high));
    }
    write(svg, (end + 6.0, middle + 4.0), &format!("{words} font-size=\"11\""), &shown(median));
}

fn write(svg: &mut String, (x, y): (f64, f64), style: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{words}</text>");
}

#[cfg(test)]
mod tests {
    use super::{longest_full, svg};
    use crate::report::{Better, Row, Table};

    #[test]
    fn a_bar_far_above_the_others_is_cut() {
        let longest = |medians: &[f64]| format!("{:.1}", longest_full(medians.iter().copied()));
        assert_eq!(longest(&[1.0, 90.0, 2.0, f64::NAN, 4.0]), "6.0");
        assert_eq!(longest(&[1.0, 9.0, 2.0, 4.0]), "9.0");
        assert_eq!(longest(&[1.0, 2.0, 90.0]), "90.0");
    }

    #[test]
    fn every_subject_has_a_bar_and_text_is_escaped() {
        let mut table = Table::new("a < b", &["ns"]).draw(0, Better::Less);
        for (subject, figure) in [("ours", 1.0), ("theirs", 2.0)] {
            let mut row = Row::new(subject, subject == "ours", 1);
            row.push(&[figure]);
            table.rows.push(row);
        }
        let drawn = svg("title", "day", &[table, Table::new("not drawn", &["ns"])]).unwrap();
        assert_eq!(drawn.matches("<rect x=").count(), 2);
        assert!(drawn.contains("a &lt; b") && !drawn.contains("not drawn"));
        assert!(drawn.contains("width=\"288.4\"") && drawn.contains("width=\"576.8\""));
        assert_eq!(svg("title", "day", &[]), None);
    }
}

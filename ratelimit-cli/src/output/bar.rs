//! Bars that show a share.

/// A bar of `width` characters that shows a share from 0 to 1. Any use shows at least a part of the first character.
pub(crate) fn bar(share: f64, width: usize, unicode: bool) -> String {
    const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let eighths = ((share * (width * 8) as f64).round() as usize).max(usize::from(share > 0.0));
    let (full, rest) = (eighths / 8, eighths % 8);
    let (block, empty) = if unicode { ('█', '░') } else { ('#', '.') };
    let mut bar: String = std::iter::repeat_n(block, full).collect();
    if rest > 0 {
        bar.push(if unicode { EIGHTHS[rest - 1] } else { '#' });
    }
    let missing = width.saturating_sub(full + usize::from(rest > 0));
    bar.extend(std::iter::repeat_n(empty, missing));
    bar
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_bar_has_its_width() {
        for (share, unicode, plain) in [
            (0.0, "░░░░", "...."),
            (0.001, "▏░░░", "#..."),
            (0.5, "██░░", "##.."),
            (0.6, "██▍░", "###."),
            (1.0, "████", "####"),
            (7.0, "████", "####"),
            (f64::NAN, "░░░░", "...."),
        ] {
            assert_eq!(
                (bar(share, 4, true).as_str(), bar(share, 4, false).as_str()),
                (unicode, plain),
                "{share}"
            );
        }
    }
}

//! The page with the results. The results of each part are between two markers.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder of this package.
pub(crate) fn folder() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from)
}

/// Replaces the results of a part in the page.
pub(crate) fn write(page: &Path, part: &str, text: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", page.display());
    let before = fs::read_to_string(page).map_err(failed)?;
    let after = replaced(&before, part, text).ok_or_else(|| {
        let [begin, end] = markers(part);
        format!("{} does not contain the lines `{begin}` and `{end}`", page.display())
    })?;
    fs::write(page, after).map_err(failed)
}

fn replaced(page: &str, part: &str, text: &str) -> Option<String> {
    let [begin, end] = markers(part);
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n\n{}\n\n{end}{after}", text.trim()))
}

fn markers(part: &str) -> [String; 2] {
    [format!("<!-- {part}: begin -->"), format!("<!-- {part}: end -->")]
}

#[cfg(test)]
mod tests {
    use super::{folder, replaced};

    #[test]
    fn only_the_text_between_the_markers_changes() {
        let page = "before\n<!-- lua: begin -->\nold\n<!-- lua: end -->\nafter\n";
        let expected = "before\n<!-- lua: begin -->\n\nnew\n\n<!-- lua: end -->\nafter\n";
        assert_eq!(replaced(page, "lua", "new\n").as_deref(), Some(expected));
        assert_eq!(replaced(page, "memory", "new"), None);
    }

    #[test]
    fn the_page_has_markers_for_each_part() {
        let page = std::fs::read_to_string(folder().join("README.md")).unwrap();
        for part in &crate::PARTS {
            assert!(replaced(&page, part.name, "").is_some(), "{}", part.name);
        }
    }
}

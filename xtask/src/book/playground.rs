//! Builds the page on which users can try limits: one file, which contains the engine as WebAssembly.

use crate::process::{cargo, root, run, target};
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};

/// The target of the engine. Its programs read standard input and write standard output, as on other targets.
const TARGET: &str = "wasm32-wasip1";

/// Builds the engine and writes the page.
pub(super) fn write(page: &Path) -> Result<(), String> {
    let program = engine()?;
    let program = fs::read(&program).map_err(|error| format!("{}: {error}", program.display()))?;
    let source = |name: &str| {
        let path = root().join("playground").join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let text = source("page.html")?
        .replace("/*STYLE*/", &source("style.css")?)
        .replace("/*ENGINE*/", &source("engine.js")?)
        .replace("/*CHART*/", &source("chart.js")?)
        .replace("/*LIMIT*/", &source("limit.js")?)
        .replace("/*PAGE*/", &source("page.js")?)
        .replace("/*WASM*/", &base64(&program));
    fs::write(page, text).map_err(|error| format!("{}: {error}", page.display()))
}

/// Compiles the engine for a small size, and returns its path. The engine has its own target folder, because the usual builds
/// have other flags.
fn engine() -> Result<PathBuf, String> {
    const PACKAGE: &str = "ratelimit-playground";
    tools::ensure_target(TARGET)?;
    let folder = target().join("wasm");
    let mut command =
        cargo(&["build", "--locked", "--release", "--package", PACKAGE, "--target", TARGET, "--target-dir"]);
    for (setting, value) in
        [("OPT_LEVEL", "s"), ("LTO", "true"), ("CODEGEN_UNITS", "1"), ("PANIC", "abort"), ("STRIP", "true")]
    {
        command.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    run(command.arg(&folder))?;
    Ok(folder.join(TARGET).join("release").join(format!("{PACKAGE}.wasm")))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let number = three.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        for at in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;
    use crate::documents::read;

    #[test]
    fn bytes_become_letters() {
        let encoded = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }

    /// If a page has an element of this class, the script of mdBook asks the public playground which crates it has.
    #[test]
    fn the_book_asks_no_foreign_host() {
        let page = read("book/playground.md");
        let classes = page.split("class=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let classes: Vec<_> = classes.flat_map(str::split_whitespace).collect();
        assert!(!classes.is_empty() && !classes.contains(&"playground"), "{classes:?}");
        assert!(read("book/book.toml").contains("runnable = false"));
        for file in ["page.html", "style.css", "page.js", "limit.js", "chart.js", "engine.js"] {
            let text = read(&format!("playground/{file}"));
            assert!(["://", "fetch(", "@import"].iter().all(|asks| !text.contains(asks)), "{file}");
        }
    }

    /// The luminance of `#rrggbb`, as WCAG 2 defines it.
    fn luminance(color: &str) -> f64 {
        let part = |at: usize| f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
        let linear =
            |part: f64| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
        0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5))
    }

    /// Text and bars have a contrast of at least 4.5 to what is behind them.
    #[test]
    fn everything_is_visible_in_both_themes() {
        let style = read("playground/style.css");
        let colors = |name: &str| {
            let (_, rest) = style.split_once(&format!("--{name}: light-dark(")).unwrap();
            let (light, rest) = rest.split_once(", ").unwrap();
            [light.to_owned(), rest.split(')').next().unwrap().to_owned()]
        };
        for name in ["ink", "soft", "admitted", "refused", "offered"] {
            for behind in ["ground", "panel"] {
                for (front, back) in colors(name).iter().zip(colors(behind)) {
                    let (front, back) = (luminance(front), luminance(&back));
                    let contrast = (front.max(back) + 0.05) / (front.min(back) + 0.05);
                    assert!(contrast >= 4.5, "{name} on {behind}: {contrast:.2}");
                }
            }
        }
    }
}

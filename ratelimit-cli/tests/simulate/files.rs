//! The files that the command writes: complete or not at all.

use crate::harness::{Folder, log_line};
use std::fs;

const LIMIT: &str = "token_bucket count=100 time=1m burst=20";
const TRAFFIC: [&str; 2] = ["--steady", "200/min"];

fn run(folder: &Folder, files: &[&str]) -> crate::harness::Ran {
    folder.run(&[&[LIMIT], &TRAFFIC[..], files].concat())
}

#[test]
fn all_files_are_written() {
    let folder = Folder::new();
    let names = ["a.svg", "calls.csv"];
    let options = ["--svg", "--calls"];
    let arguments: Vec<&str> = options.iter().zip(names).flat_map(|(option, name)| [*option, name]).collect();
    run(&folder, &arguments).ok();
    assert_eq!(folder.names(), names);
    assert!(folder.read("a.svg").starts_with("<svg ") && folder.read("a.svg").ends_with("</svg>\n"));
    assert_eq!(folder.read("calls.csv").lines().count(), 2001);
}

#[test]
fn text_of_a_log_is_escaped_in_the_plot() {
    let folder = Folder::new();
    let text: String = (0..9).map(|second| log_line(second, "203.0.113.7", "-", "/")).collect();
    fs::write(folder.path().join("<i>.log"), text).unwrap();
    folder.run(&[LIMIT, "--log", "<i>.log", "--svg", "a.svg"]).ok();
    let svg = folder.read("a.svg");
    assert!(svg.contains("&lt;i&gt;.log") && !svg.contains("<i>"), "{svg}");
}

#[test]
fn a_file_that_cannot_be_written_leaves_the_others_alone() {
    let folder = Folder::new();
    fs::write(folder.path().join("a.svg"), "before").unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for target in ["nowhere/a.csv", "folder"] {
        let error = run(&folder, &["--svg", "a.svg", "--calls", target]).failed(1);
        assert!(error.contains(&format!("cannot write `{target}`: ")), "{error}");
        assert_eq!(folder.read("a.svg"), "before");
        assert_eq!(folder.names(), ["a.svg", "folder"]);
    }
}

#[cfg(unix)]
#[test]
fn a_device_is_not_replaced_and_a_link_keeps_its_place() {
    let folder = Folder::new();
    let error = run(&folder, &["--svg", "/dev/null"]).failed(1);
    assert!(error.contains("it exists, and is not a file"), "{error}");
    fs::write(folder.path().join("real.svg"), "before").unwrap();
    std::os::unix::fs::symlink("real.svg", folder.path().join("link.svg")).unwrap();
    run(&folder, &["--svg", "link.svg"]).ok();
    assert!(folder.path().join("link.svg").is_symlink());
    assert!(folder.read("real.svg").starts_with("<svg "));
}

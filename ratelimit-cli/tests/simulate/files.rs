//! Tests that the command writes a file completely or not at all.

use crate::harness::Folder;
use std::fs;

fn run(folder: &Folder, file: &str) -> crate::harness::Ran {
    let limit = "token_bucket count=100 time=1m burst=20";
    folder.run(&[limit, "--steady", "200/min", "--calls", file])
}

#[test]
fn all_calls_are_written() {
    let folder = Folder::new();
    run(&folder, "calls.csv").ok();
    assert_eq!(folder.names(), ["calls.csv"]);
    assert_eq!(folder.read("calls.csv").lines().count(), 2001);
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing_behind() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for target in ["nowhere/a.csv", "folder"] {
        let error = run(&folder, target).failed(1);
        assert!(error.contains(&format!("cannot write `{target}`: ")), "{error}");
        assert_eq!(folder.names(), ["folder"]);
    }
}

#[cfg(unix)]
#[test]
fn a_device_is_not_replaced_and_a_link_keeps_its_place() {
    let folder = Folder::new();
    let error = run(&folder, "/dev/null").failed(1);
    assert!(error.contains("it exists, and is not a file"), "{error}");
    fs::write(folder.path().join("real.csv"), "before").unwrap();
    std::os::unix::fs::symlink("real.csv", folder.path().join("link.csv")).unwrap();
    run(&folder, "link.csv").ok();
    assert!(folder.path().join("link.csv").is_symlink());
    assert!(folder.read("real.csv").starts_with("limit,time,caller,"));
}

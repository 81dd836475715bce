//! The command `book`: gathers the pages of the guide into `target/book`, builds a book from them with mdBook, and checks its
//! links.

mod links;
mod playground;
mod source;

use crate::process::{run, target};
use crate::tools;
use std::process::Command;

/// Builds the book. With `serve`, also shows it until the command is stopped, and updates it after each build.
pub(crate) fn perform(serve: bool) -> Result<(), String> {
    let (mdbook, folder) = (tools::ensure_mdbook()?, target().join("book"));
    source::gather(&folder)?;
    playground::write(&folder.join("source").join(source::PLAYGROUND))?;
    run(Command::new(&mdbook).arg("build").arg(&folder))?;
    let pages = links::check(&folder.join("html"))?;
    println!("{pages} pages: {}", folder.join("html/index.html").display());
    if serve {
        run(Command::new(&mdbook).arg("serve").arg(&folder))?;
    }
    Ok(())
}

//! Finds the file of a `mod` declaration, by the rules of the compiler.

use super::conditions::expanded;
use std::path::{Path, PathBuf};
use syn::{Attribute, Expr, Lit, Meta};

/// A module in another file.
#[derive(Debug)]
pub(super) struct Submodule {
    /// The path of the module, from the name of the crate.
    pub(super) path: Vec<String>,
    /// The modules with braces that enclose the declaration in its file.
    pub(super) around: Vec<Inline>,
    pub(super) name: String,
    /// The values of `#[path = ".."]` that may apply: those with a condition, and the last one without a condition.
    pub(super) paths: Vec<String>,
    /// Whether the default path may apply.
    pub(super) may_have_default: bool,
    pub(super) conditions: Vec<String>,
    /// Whether the declaration is an `include!`. Then the file belongs to the same module.
    pub(super) included: bool,
}

/// A module with braces: its name, or its `#[path = ".."]`.
#[derive(Clone, Debug)]
pub(super) struct Inline {
    pub(super) name: String,
    pub(super) path: Option<String>,
}

/// The folders of a file.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The folder of the file.
    here: PathBuf,
    /// The folder of its modules.
    below: PathBuf,
}

/// The existing files of a declaration, and the expected file if no file exists.
pub(super) struct Resolved {
    pub(super) files: Vec<(PathBuf, Place)>,
    pub(super) expected: PathBuf,
}

impl Place {
    /// The place of a root, a `mod.rs`, or a file with a `#[path = ".."]`. Its modules are in the same folder.
    pub(super) fn of_root(file: &Path) -> Self {
        let here = file.parent().unwrap_or(Path::new("")).to_owned();
        Self { below: here.clone(), here }
    }

    fn of_file(file: &Path) -> Self {
        let here = file.parent().unwrap_or(Path::new("")).to_owned();
        Self { below: file.with_extension(""), here }
    }

    pub(super) fn resolve(&self, submodule: &Submodule) -> Resolved {
        if submodule.included {
            let file = self.here.join(&submodule.name);
            let files = if file.is_file() { vec![(file.clone(), self.clone())] } else { Vec::new() };
            return Resolved { files, expected: file };
        }
        let (mut folder, mut of_paths) = (self.below.clone(), self.here.clone());
        for inline in &submodule.around {
            folder = match &inline.path {
                Some(path) => of_paths.join(path),
                None => folder.join(&inline.name),
            };
            of_paths.clone_from(&folder);
        }
        let mut files: Vec<(PathBuf, Place)> = Vec::new();
        for path in &submodule.paths {
            let file = of_paths.join(path);
            if file.is_file() {
                files.push((file.clone(), Self::of_root(&file)));
            }
        }
        let beside = folder.join(format!("{}.rs", submodule.name));
        let inside = folder.join(&submodule.name).join("mod.rs");
        if submodule.may_have_default && beside.is_file() {
            files.push((beside.clone(), Self::of_file(&beside)));
        } else if submodule.may_have_default && inside.is_file() {
            files.push((inside.clone(), Self::of_root(&inside)));
        }
        let expected = submodule.paths.first().map_or(beside, |path| of_paths.join(path));
        Resolved { files, expected }
    }
}

/// The values of `#[path = ".."]`, and whether the default path may apply as well.
pub(super) fn paths(attributes: &[Attribute]) -> (Vec<String>, bool) {
    let (mut paths, mut has_default) = (Vec::new(), true);
    for found in expanded(attributes) {
        let Meta::NameValue(value) = &found.attribute.meta else { continue };
        if let (true, Expr::Lit(literal)) = (value.path.is_ident("path"), &value.value)
            && let Lit::Str(path) = &literal.lit
        {
            has_default &= found.condition.is_some();
            paths.push(path.value());
        }
    }
    (paths, has_default)
}

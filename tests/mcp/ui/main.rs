//! The compiler messages about tools. `TRYBUILD=overwrite` accepts changed messages; read the diff before you commit them.

#[test]
fn mistakes_in_tools_are_explained() {
    trybuild::TestCases::new().compile_fail("cases/*.rs");
}

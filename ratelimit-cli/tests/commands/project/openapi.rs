//! The refusals that `cargo ratelimit openapi` adds to the documents of real generators.

use super::Project;
use std::fs;
use std::path::Path;

/// A file of the services whose documents are tested.
fn file(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/frameworks/openapi");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// A service with its document, in the folder of a test.
fn service(test: &str, name: &str) -> Project {
    let project = Project::of(&format!("openapi-{test}-{name}"), &file(&format!("{name}.rs")));
    project.write("openapi.json", &file(&format!("{name}.json")));
    project
}

/// Compares a document with the committed one, or commits it.
#[track_caller]
fn assert_committed(project: &Project, name: &str) {
    let written = project.read("openapi.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/frameworks/openapi").join(name),
            &written,
        )
        .unwrap();
    }
    assert_eq!(written, file(name), "{name}");
}

#[test]
fn the_documents_of_three_generators_get_the_refusals_and_nothing_else() {
    for (name, operations) in [("utoipa", 4), ("poem", 4), ("aide", 4)] {
        let project = service("documents", name);
        let ran = project.run(&["openapi", "openapi.json"]).exits(0);
        assert_eq!(ran.out.lines().filter(|line| line.contains(": 429  (")).count(), operations, "{ran:?}");
        assert_committed(&project, &format!("{name}.limited.json"));
        project.run(&["openapi", "openapi.json"]).exits(0).says(&["openapi.json: no change"]);
        assert_committed(&project, &format!("{name}.limited.json"));

        // Without limits, the document is as before, except for the parts of responses that somebody has written.
        project.write("src/lib.rs", "");
        project.run(&["openapi", "openapi.json"]).exits(0).says(&["removed  POST", "/login: 429\n"]);
        if name == "aide" {
            // Objects stay, if the command has made them.
            let empty = [",\n        \"responses\": {}", ",\n    \"responses\": {}"];
            let written =
                empty.iter().fold(project.read("openapi.json"), |text, empty| text.replace(empty, ""));
            assert_eq!(written, file("aide.json"));
        }
    }
    let problems = service("problems", "utoipa");
    problems.run(&["openapi", "openapi.json", "--answers", "problem-json"]).exits(0);
    assert_committed(&problems, "utoipa.problem.json");
}

#[test]
fn functions_without_an_operation_are_named_with_advice() {
    let ran = service("names", "utoipa").run(&["openapi", "openapi.json"]).exits(0).says(&[
        "no operation for `shop::job` (src/lib.rs:",
        "if it is a handler, give its operation the id `job`\n",
        "GET /users: 429  (`shop::users::list`, src/lib.rs:",
        "changed  GET /reports/{id}: 429",
        "GET /search: 503",
    ]);
    for other in ["partner", "trial", "/orders"] {
        assert!(!ran.out.contains(other), "{ran:?}");
    }
    let project = service("names", "aide");
    project
        .write("openapi.json", &file("aide.json").replace("users_list", "list").replace("orders-list", "x"));
    project.run(&["openapi", "openapi.json"]).exits(0).says(&[
        "several functions or operations fit `shop::orders::list` (src/lib.rs:",
        "GET /users; give its operation the id `users_list`\n",
    ]);
}

#[test]
fn a_document_that_lags_does_not_pass_the_check() {
    let project = service("check", "utoipa");
    project.run(&["check", "--write"]).exits(0);
    let check = ["check", "--openapi", "openapi.json"];
    let ran = project.run(&check).exits(1).says(&["added    POST /login: 429"]);
    ran.complains(&["openapi.json lags behind the limits", "run `cargo ratelimit openapi openapi.json`"]);
    assert_eq!(project.read("openapi.json"), file("utoipa.json"), "a check writes nothing");
    project.run(&[&check[..], &["--write"]].concat()).exits(0);
    project.run(&check).exits(0).says(&["openapi.json: no change"]);
    project
        .run(&[&check[..], &["--answers", "problem-json"]].concat())
        .exits(1)
        .says(&["changed  #/components"]);

    project.write(
        "src/lib.rs",
        &file("utoipa.rs").replace("key = \"users\"", "key = \"people\", on_error = \"deny\""),
    );
    project
        .run(&check)
        .exits(1)
        .says(&["new      `people`", "added    GET /users: 503"])
        .complains(&["differ from", "lags"]);
}

#[test]
fn the_forms_of_answers_and_fields_are_options() {
    let project = service("forms", "poem");
    project
        .run(&[
            "openapi",
            "openapi.json",
            "--answers",
            "Refusal",
            "--headers",
            "x-rate-limit",
            "--status",
            "420",
        ])
        .exits(0);
    let document: serde_json::Value = serde_json::from_str(&project.read("openapi.json")).unwrap();
    assert_eq!(
        document["paths"]["/v1/login"]["post"]["responses"]["420"]["$ref"],
        "#/components/responses/RefusedByRateLimit"
    );
    let limited = &document["components"]["responses"]["RefusedByRateLimit"];
    assert_eq!(limited["content"]["application/json"]["schema"]["$ref"], "#/components/schemas/Refusal");
    assert!(
        limited["headers"]["X-RateLimit-Limit"].is_object() && limited["headers"]["Retry-After"].is_object()
    );
    project.run(&["openapi", "openapi.json"]).exits(0).says(&["removed  POST /v1/login: 420"]);
    project
        .run(&["openapi", "openapi.json", "--answers", "Nobody"])
        .exits(1)
        .complains(&["no schema `Nobody`"]);
    project.run(&["check", "--answers", "text"]).exits(2).complains(&["--openapi"]);
    let before = project.read("openapi.json");
    project.write("src/lib.rs", "#[rate_limit(cout = 1)] async fn a() {}");
    project.run(&["openapi", "openapi.json"]).exits(1).complains(&["openapi.json was not written"]);
    assert_eq!(project.read("openapi.json"), before, "the limits of this function are unknown");
    project.write("src/lib.rs", "");
    project.run(&["openapi", "missing.json"]).exits(1).complains(&["missing.json cannot be read"]);
    for (text, why) in [
        ("openapi: 3.1.0", "is not JSON"),
        ("{\"swagger\": \"2.0\"}", "is not an OpenAPI 3 document"),
        (
            "{\"openapi\": \"3.0.0\", \"paths\": {\"/login\": {\"post\": {\"operationId\": \"login\", \"responses\": 1}}}}",
            "is not an object",
        ),
    ] {
        project.write("openapi.json", text);
        project.write("src/lib.rs", &file("utoipa.rs"));
        project.run(&["openapi", "openapi.json"]).exits(1).complains(&[why]);
        assert_eq!(project.read("openapi.json"), text);
    }
}

#[test]
fn a_response_of_the_author_stays() {
    let login = "#[rate_limit(key = \"login\")] async fn login() -> Result<(), Rejection> { Ok(()) }";
    let project = Project::of("openapi-author", login);
    let document = r##"{"openapi":"3.1.0","paths":{"/login":{"post":{"operationId":"login","responses":{
        "429":{"$ref":"#/components/responses/RateLimited"}}}}},"components":{"responses":{"RateLimited":{"description":"no"}}}}"##;
    project.write("openapi.json", document);
    project.run(&["openapi", "openapi.json"]).exits(0).says(&["openapi.json: no change"]);
    project.write("src/lib.rs", "");
    project.run(&["openapi", "openapi.json"]).exits(0).says(&["openapi.json: no change"]);
    assert_eq!(project.read("openapi.json"), document);
}

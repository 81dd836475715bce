//! Tests `plan`, `apply` and `drift`, which manage all overrides of a prefix in a file.

use crate::harness::{LOGIN, Ran, limiter, run, set, used_server, wait_for, write};
use ratelimit::overrides::LimitChange;
use ratelimit::{Key, RateLimiter};
use std::net::IpAddr;
use std::path::PathBuf;
use support::{HOUR, RedisServer};

/// A file in a separate folder, and the server.
struct Case {
    server: RedisServer,
    service: RateLimiter,
    folder: tempfile::TempDir,
}

impl Case {
    async fn start() -> Self {
        let (server, service) = used_server().await;
        Self { server, service, folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, text: &str) {
        std::fs::write(self.path("limits.toml"), text).unwrap();
    }

    fn run(&self, command: &str, name: &str) -> Ran {
        run(&self.server.url(), &[command, self.path(name).to_str().unwrap()])
    }

    /// The overrides, by name and identity, without the time that is left.
    fn overrides(&self) -> Vec<(String, Option<String>, String)> {
        let json = run(&self.server.url(), &["overrides", "--json"]).exits(0).json();
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let one = |entry: &serde_json::Value| {
            (text(&entry["name"]).unwrap(), text(&entry["identity"]), text(&entry["change"]).unwrap())
        };
        json.as_array().unwrap().iter().map(one).collect()
    }
}

const TWO: &str = "
    [[override]]
    name = 'login'
    change = 'count=2'

    [[override]]
    name = 'login'
    for = '203.0.113.9'
    change = 'counter time=1m count=50'
";

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_planned_applied_and_undone() {
    let case = Case::start().await;
    let service = limiter(&case.server.url()).await;
    set(&service, "search", "count=7").await;
    service.overrides().set("login", LimitChange::new().count(3)).await.unwrap();
    let before = case.overrides();
    case.write(TWO);
    let changes = [
        "~ change login: count=3 -> count=2\n",
        "+ set login for 203.0.113.9: counter count=50 time=1m\n",
        "- remove search: count=7\n",
    ];

    case.run("plan", "limits.toml").exits(0).says(&changes).says(&["3 changes; `ratelimit apply "]);
    case.run("drift", "limits.toml").exits(1).says(&changes).says(&["are not those of"]);
    assert_eq!(case.overrides(), before, "nothing has changed so far");

    case.run("apply", "limits.toml").exits(0).says(&changes).says(&["limits.before.toml` undoes them"]);
    let address = IpAddr::from([203, 0, 113, 9]);
    let capacity = async || service.peek(&LOGIN, Key::new("login").by(address)).await.unwrap().capacity();
    wait_for("a running service sees the change", async || capacity().await == 50).await;
    case.run("drift", "limits.toml").exits(0).says(&["are those of the file"]);
    case.run("plan", "limits.toml").exits(0).says(&["nothing to change"]);
    // The second `apply` changes nothing, so it does not overwrite the file that undoes the first one.
    case.run("apply", "limits.toml").exits(0).says(&["nothing to change"]);

    case.run("apply", "limits.before.toml").exits(0).says(&["- remove login for 203.0.113.9"]);
    assert_eq!(case.overrides(), before);
    case.run("apply", "limits.before.before.toml").exits(0);
    case.run("drift", "limits.toml").exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_override_can_be_undone() {
    let case = Case::start().await;
    let overrides = case.service.overrides();
    let change = || LimitChange::new().count(1);
    overrides.set(Key::new("login").by("al, \"ice\" = {}:%\u{e9}\n"), change()).await.unwrap();
    overrides.set(Key::new("login").by("x".repeat(100)), change()).await.unwrap();
    overrides.set(Key::new("login").by(("ann", IpAddr::from([203, 0, 113, 9]))), change()).await.unwrap();
    overrides.set(Key::new("login").by("2001:db8::9".parse::<IpAddr>().unwrap()), change()).await.unwrap();
    overrides.set(Key::new("report:{kind}").by("bob").part("p df"), change()).await.unwrap();
    overrides.set(Key::new("all:{kind}").part("pdf"), change()).await.unwrap();
    overrides.set_for("search", change(), HOUR).await.unwrap();
    let before = case.overrides();
    assert_eq!(before.len(), 7);
    case.write("");
    case.run("apply", "limits.toml").exits(0).says(&["7 changes made"]);
    assert_eq!(case.overrides(), []);
    case.run("apply", "limits.before.toml").exits(0).says(&["7 changes made"]);
    assert_eq!(case.overrides(), before);
    let json = run(&case.server.url(), &["overrides", "--json"]).exits(0).json();
    let left: Vec<u64> =
        json.as_array().unwrap().iter().filter_map(|it| it["expires_in_ms"].as_u64()).collect();
    assert!(matches!(left[..], [3_500_000..=3_601_000]), "{left:?}");
    case.run("drift", "limits.before.toml").exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expiry_is_a_time_and_what_has_expired_is_left_out() {
    let case = Case::start().await;
    let with_end =
        |end: &str| format!("[[override]]\nname = 'login'\nchange = 'count=0'\nexpires = '{end}'\n");
    let soon = jiff::Timestamp::now() + HOUR;
    case.write(&with_end(&soon.to_string()));
    case.run("apply", "limits.toml").exits(0).says(&["+ set login: count=0 until "]);
    case.run("drift", "limits.toml").exits(0);
    // An override whose end differs counts as a changed override.
    case.write(&with_end(&(soon + HOUR).to_string()));
    case.run("drift", "limits.toml").exits(1).says(&["~ change login: count=0 until "]);
    case.write("[[override]]\nname = 'login'\nchange = 'count=0'");
    case.run("apply", "limits.toml").exits(0);
    let json = run(&case.server.url(), &["overrides", "--json"]).exits(0).json();
    assert!(json[0]["expires_in_ms"].is_null(), "{json}");

    case.write(&with_end("2020-01-01T00:00:00Z"));
    let ran = case.run("drift", "limits.toml").exits(1);
    ran.says(&["- remove login: count=0"])
        .complains(&["override 1 of the file (`login`) has expired, and is left out"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_file_changes_nothing_and_names_the_place() {
    let case = Case::start().await;
    for (text, why) in [
        ("[[override]]\nname = 'login'\n", "line 1: missing field `change`"),
        ("\n[[override]]\nname = 'login'\nchange = 'count=1'\nuntil = 1", "line 5: unknown field `until`"),
        ("[[overrides]]", "unknown field `overrides`"),
        ("[[override]]\nname = 'login'\nchange = 'cuont=1'", "override 1 of the file (`login`): "),
        ("[[override]]\nname = ''\nchange = 'count=1'", "the name of the limit is empty"),
        (
            "[[override]]\nname = 'login'\nchange = 'count=1'\nexpires = 'tomorrow'",
            "is not a time; write one as `2027-01-31T00:00:00Z`",
        ),
        (
            "[[override]]\nname = 'a'\nchange = 'count=1'\n[[override]]\nname = 'a'\nchange = 'count=2'",
            "override 2 of the file (`a`): an earlier one is for the same callers",
        ),
    ] {
        case.write(text);
        for command in ["plan", "apply", "drift"] {
            case.run(command, "limits.toml").exits(2).complains(&[why]);
        }
    }
    case.run("plan", "none.toml").exits(2).complains(&["cannot read"]);
    assert_eq!(case.overrides(), []);
    assert!(!case.path("limits.before.toml").exists());
}

/// All changes are checked first, so that `apply` does not stop half way.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_does_not_fit_is_found_before_the_first_change() {
    let case = Case::start().await;
    let seen = jiff::Timestamp::now().as_second();
    write(&case.server, "ratelimit:{#}:limits", "login", format!("seen={seen} counter count=5 time=1h"));
    let year = jiff::Timestamp::now() + 9000 * HOUR;
    for (change, why) in [
        ("'burst=7'".to_owned(), "`burst=7` does not fit the published limit `counter count=5 time=1h`"),
        ("'concurrency count=5 time=1m'".to_owned(), "cannot replace each other"),
        (format!("'count=1'\nexpires = '{year}'"), "it expires in more than 366 days"),
    ] {
        case.write(&format!(
            "[[override]]\nname = 'search'\nchange = 'count=1'\n[[override]]\nname = 'login'\nchange = {change}\n"
        ));
        case.run("apply", "limits.toml").exits(2).complains(&["override 2 of the file (`login`): ", why]);
    }
    assert_eq!(case.overrides(), []);
    // A name that no service has published is only noted, because its first call may still come.
    case.write("[[override]]\nname = 'lgoin'\nchange = 'count=1'\n");
    case.run("plan", "limits.toml").exits(0).complains(&["no service has published the name `lgoin`"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_is_a_file_of_overrides() {
    let case = Case::start().await;
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/overrides.toml");
    let json = run(&case.server.url(), &["plan", example, "--json"]).exits(0).json();
    let changes = json["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 3);
    assert_eq!(changes[2]["identity"], "bob=pdf");
    assert!(changes.iter().all(|change| change["before"].is_null()));
}

//! Tests that `apply` can be undone, that it changes everything or nothing, and which files it writes.

use crate::harness::{Ran, command, finish, run, set, used_server, wait_for, write};
use ratelimit::overrides::{LimitChange, OverrideTarget, OverrideUpdate};
use ratelimit::{Key, RateLimiter};
use std::fmt::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use support::RedisServer;

/// A server, and a folder in which the commands run.
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

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        finish(command(&self.server.url(), arguments).current_dir(self.folder.path()))
    }

    fn overrides(&self) -> String {
        run(&self.server.url(), &["overrides"]).exits(0).out
    }

    fn publish(&self, limit: &str) {
        let seen = jiff::Timestamp::now().as_second();
        write(&self.server, "ratelimit:{#}:limits", "login", format!("seen={seen} {limit}"));
    }
}

/// A file with an override of `login` and one that only this file has.
fn file(change: &str) -> String {
    format!("[[override]]\nname = 'login'\nchange = '{change}'\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_brake_in_force_is_restored_whatever_the_limit_in_the_code_is_now() {
    let case = Case::start().await;
    case.publish("token_bucket count=10 time=1m burst=50");
    case.run(&["set", "login", "count=2", "burst=2"]).exits(0);
    let year = std::time::Duration::from_secs(366 * 86_400);
    case.service
        .overrides()
        .set_for(Key::new("search").by("ann"), LimitChange::new().count(1), year)
        .await
        .unwrap();
    let before = case.overrides();
    case.write("limits.toml", "[[override]]\nname = 'other'\nchange = 'count=3'\n");
    case.run(&["apply", "limits.toml"]).exits(0);
    // The next version of the service has another limit.
    case.publish("counter count=10 time=1m");
    let undo = case.run(&["apply", "limits.before.toml"]).exits(0);
    undo.complains(&[
        "override 1 of the file (`login`): `count=2 burst=2` does not fit",
        "what fits of it applies",
    ]);
    let without_time =
        |text: &str| text.replace("366 d", "365 d").replace("365 d 24 h", "").replace("365 d 23 h", "");
    assert_eq!(without_time(&case.overrides()), without_time(&before));
    // A file that lists what is in force is accepted as well; a new change that does not fit is not.
    case.write("limits.toml", &file("count=2 burst=2"));
    case.run(&["plan", "limits.toml"]).exits(0).complains(&["does not fit the published limit"]);
    case.write("limits.toml", &file("count=3 burst=3"));
    case.run(&["plan", "limits.toml"]).exits(2).complains(&["does not fit the published limit"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_operators_the_second_is_told_and_changes_nothing() {
    let case = Case::start().await;
    let many = |count: u32| {
        let mut text = format!("[[override]]\nname = 'only {count}'\nchange = 'count=1'\n");
        for user in 0..200 {
            let _ = write!(text, "[[override]]\nname = 'login'\nfor = 'u{user}'\nchange = 'count={count}'\n");
        }
        text
    };
    case.write("a.toml", &many(1));
    case.write("b.toml", &many(2));
    case.write("b.before.toml", "the undo file of an earlier apply");
    // The server delays all writes until both operators have computed their changes.
    let raw = || case.server.raw();
    redis::cmd("CLIENT").arg("PAUSE").arg(60_000).arg("WRITE").exec(&mut raw()).unwrap();
    let [a, b] = ["a.toml", "b.toml"].map(|file| {
        command(&case.server.url(), &["apply", file]).current_dir(case.folder.path()).spawn().unwrap()
    });
    wait_for("both wait for the server", async || {
        let clients: String = redis::cmd("INFO").arg("clients").query(&mut raw()).unwrap();
        clients.lines().any(|line| line == "blocked_clients:2")
    })
    .await;
    redis::cmd("CLIENT").arg("UNPAUSE").exec(&mut raw()).unwrap();
    let ended = [a, b].map(|child| child.wait_with_output().unwrap());
    let codes = ended.each_ref().map(|output| output.status.code().unwrap());
    let (made, refused, told) = match codes {
        [0, 1] => ("a.toml", "b.toml", &ended[1]),
        [1, 0] => ("b.toml", "a.toml", &ended[0]),
        _ => panic!("{ended:?}"),
    };
    let told = String::from_utf8_lossy(&told.stderr);
    assert!(told.contains("nothing was changed: somebody else has changed overrides"), "{told}");
    case.run(&["drift", made]).exits(0);
    case.run(&["drift", refused]).exits(1);
    assert_eq!(case.path("a.before.toml").exists(), made == "a.toml");
    assert_eq!(case.read("b.before.toml").starts_with("the undo file of"), made == "a.toml");
    let files = std::fs::read_dir(case.folder.path()).unwrap().count();
    assert_eq!(files, if made == "a.toml" { 4 } else { 3 }, "no temporary file is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_made_in_one_step_or_not_at_all() {
    let case = Case::start().await;
    let memory = RateLimiter::in_memory();
    for service in [&case.service, &memory] {
        let overrides = service.overrides();
        set(service, "b", "count=1").await;
        set(service, "c", "count=1").await;
        let version = overrides.version().await.unwrap();
        let update = |name: &str, change: Option<&str>, expires_in| OverrideUpdate {
            target: OverrideTarget::Name(name.to_owned()),
            change: change.map(|change| change.parse().unwrap()),
            expires_in,
        };
        let hour = std::time::Duration::from_secs(3600);
        let updates = [
            update("a: 1", Some("count=2"), Some(hour)),
            update("b", Some("count=3"), None),
            update("c", None, None),
        ];
        set(service, "d", "count=4").await;
        let all = async || overrides.list().await.unwrap();
        let before = all().await;
        assert!(!overrides.replace(version, &updates).await.unwrap(), "somebody has set `d`");
        assert!(all().await == before);
        let version = overrides.version().await.unwrap();
        assert!(overrides.replace(version, &updates).await.unwrap());
        assert_ne!(overrides.version().await.unwrap(), version);
        let now: Vec<String> = all()
            .await
            .iter()
            .map(|one| format!("{:?} {} {:?}", one.target(), one.change(), one.expires_in().is_some()))
            .collect();
        assert_eq!(
            now,
            ["Name(\"a: 1\") count=2 true", "Name(\"b\") count=3 false", "Name(\"d\") count=4 false"]
        );
        let empty = update("a", Some("count=1"), None);
        let empty = OverrideUpdate { change: Some(LimitChange::new()), ..empty };
        assert!(overrides.replace(version, &[empty]).await.is_err());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_applied_file_is_never_replaced_and_modes_are_kept() {
    let case = Case::start().await;
    set(&case.service, "search", "count=7").await;
    case.write("same.toml", &file("count=3"));
    symlink("same.toml", case.path("link.toml")).unwrap();
    std::fs::create_dir(case.path("sub")).unwrap();
    let absolute = case.path("same.toml");
    for (applied, before) in [
        ("same.toml", "same.toml"),
        ("same.toml", "./same.toml"),
        ("same.toml", "sub/../same.toml"),
        ("same.toml", absolute.to_str().unwrap()),
        ("same.toml", "link.toml"),
        ("link.toml", "same.toml"),
    ] {
        case.run(&["apply", applied, "--before", before])
            .exits(2)
            .complains(&["names the file that is applied"]);
    }
    assert_eq!(case.read("same.toml"), file("count=3"));
    let mode = |name: &str, mode| {
        std::fs::set_permissions(case.path(name), PermissionsExt::from_mode(mode)).unwrap();
    };
    let mode_of = |name: &str| std::fs::metadata(case.path(name)).unwrap().permissions().mode() & 0o777;
    // A new file gets the mode of the applied file, because it has the same identities.
    mode("same.toml", 0o640);
    case.run(&["apply", "same.toml"]).exits(0);
    assert_eq!(mode_of("same.before.toml"), 0o640);
    mode("same.before.toml", 0o600);
    case.write("same.toml", &file("count=4"));
    case.run(&["apply", "same.toml"]).exits(0);
    assert_eq!((mode_of("same.before.toml"), mode_of("same.toml")), (0o600, 0o640));
}

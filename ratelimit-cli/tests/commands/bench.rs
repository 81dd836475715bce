//! `bench`: it measures, stays in its time, and deletes its keys.

use crate::harness::{command, keys, run, used_server};

#[tokio::test(flavor = "multi_thread")]
async fn decisions_are_measured_and_keys_are_deleted() {
    let (server, _) = used_server().await;
    let before = keys(&server);
    let arguments = ["bench", "--seconds", "1", "--keys", "50", "--limit", "counter count=2 time=1h"];
    let with_callers = |more: &[&str]| run(&server.url(), &[&arguments[..], more].concat()).exits(0);
    let json = with_callers(&["--callers", "1,8", "--json"]).json();
    assert_eq!(keys(&server), before);
    let steps = json["steps"].as_array().unwrap();
    assert_eq!((steps.len(), &steps[0]["callers"], &steps[1]["callers"]), (2, &1.into(), &8.into()));
    for step in steps {
        let number = |name: &str| step[name].as_f64().unwrap();
        let latency = |name: &str| step["latency_us"][name].as_u64().unwrap();
        assert!(number("decisions") > 0.0 && number("failed") == 0.0, "{step}");
        assert!(latency("p50") <= latency("p99") && latency("p99") <= latency("max"), "{step}");
    }
    assert!(steps[1]["refused"].as_u64() > steps[1]["decisions"].as_u64().map(|decisions| decisions / 2));
    with_callers(&["--callers", "1"])
        .says(&["CALLERS  DECISIONS/S  REFUSED", "counter count=2 time=1h, 50 identities"]);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_benchmark_deletes_its_keys() {
    let (server, _) = used_server().await;
    let before = keys(&server);
    let child = command(&server.url(), &["bench", "--seconds", "60", "--json"]).spawn().unwrap();
    crate::harness::wait_for("the benchmark runs", async || keys(&server).len() > before.len() + 10).await;
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(keys(&server), before);
}

//! Request contexts behind a real server: requests never share a context, and no context outlives its request.

use super::layer::layer;
use super::{build, serve};
use crate::harness::client::{Client, Version};
use ratelimit::context::RequestContext;
use ratelimit::identity::{Identity, KeyWriter};
use rocket::fairing::AdHoc;
use rocket::http::Status;
use rocket::tokio::sync::Semaphore;
use rocket::{State, catch, catchers, get, routes};
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// A user that is dropped with its context, so that a test notices when the context is gone.
struct Alive(#[allow(dead_code)] Arc<()>);

impl Identity for Alive {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.text("alive");
    }
}

/// Sends the context of each request to the test, and makes a handler wait for the test.
struct Contexts {
    sender: tokio::sync::mpsc::UnboundedSender<Weak<()>>,
    gate: Arc<Semaphore>,
}

impl Contexts {
    fn watch(&self) {
        let alive = Arc::new(());
        self.sender.send(Arc::downgrade(&alive)).unwrap();
        RequestContext::current().expect("a context").set_user(Alive(alive));
    }
}

#[get("/waits")]
async fn waits(contexts: &State<Contexts>) -> &'static str {
    contexts.watch();
    let _permit = contexts.gate.acquire().await.unwrap();
    "waited"
}

#[get("/panics")]
async fn panics(contexts: &State<Contexts>) -> &'static str {
    contexts.watch();
    tokio::task::yield_now().await;
    panic!("a handler of a test panics")
}

#[catch(418)]
fn panicking_catcher() -> &'static str {
    panic!("a catcher of a test panics")
}

#[get("/teapot")]
fn teapot(contexts: &State<Contexts>) -> Status {
    contexts.watch();
    Status::ImATeapot
}

/// The context of a request is dropped with its response. This also holds after panics of a handler, a catcher and a
/// fairing, and after the client has left. A request that is dropped with its runtime leaves no context either.
#[test]
fn no_context_stays() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (sender, mut contexts) = tokio::sync::mpsc::unbounded_channel();
    let gate = Arc::new(Semaphore::new(0));
    let panicking = AdHoc::on_response("panics", |request, _| {
        Box::pin(async move {
            assert!(request.uri().path() != "/waits" || request.uri().query().is_none(), "a fairing panics");
        })
    });
    // The panicking fairing precedes the layer, so the layer never sees the response.
    let application = build().attach(panicking).attach(layer());
    let application = application
        .manage(Contexts { sender, gate: gate.clone() })
        .mount("/", routes![waits, panics, teapot])
        .register("/", catchers![panicking_catcher]);
    let left = runtime.block_on(async {
        let client = Client::new(serve(application).await, Version::Http1);
        let mut ended = Vec::new();
        for (path, expected) in [("/panics", Some(500)), ("/teapot", Some(500)), ("/waits?panic", None)] {
            gate.add_permits(1);
            let reply = client.request(path).send().await;
            assert_eq!(reply.ok().map(|reply| reply.status().as_u16()), expected, "{path}");
            ended.push(contexts.recv().await.unwrap());
        }
        gate.forget_permits(10);
        // The client leaves, and rocket continues to process the request.
        let context = tokio::select! {
            _ = client.request("/waits").send() => panic!("the handler waits"),
            context = contexts.recv() => context.unwrap(),
        };
        gate.add_permits(1);
        ended.push(context);
        let all_ended = async {
            while ended.iter().any(|context| context.strong_count() > 0) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), all_ended).await.expect("a context stays");
        gate.forget_permits(10);
        tokio::spawn({
            let request = client.request("/waits");
            async move { request.send().await.is_ok() }
        });
        contexts.recv().await.unwrap()
    });
    assert!(left.upgrade().is_some(), "the last request waits");
    runtime.shutdown_timeout(Duration::from_secs(10));
    assert!(left.upgrade().is_none());
}

#[get("/whoami")]
async fn whoami(peer: SocketAddr) -> String {
    let mut addresses = Vec::new();
    for _ in 0..20 {
        addresses.push(RequestContext::current().and_then(|context| context.client_ip()));
        tokio::task::yield_now().await;
    }
    addresses.iter().all(|address| *address == Some(peer.ip())).to_string()
}

/// Requests on several threads have the contexts of their own clients.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn contexts_never_mix() {
    let server = serve(build().attach(layer()).mount("/", routes![whoami])).await;
    let ask = |_| {
        let client = Client::new(server, Version::Http1);
        tokio::spawn(async move {
            for _ in 0..20 {
                assert_eq!(client.get("/whoami").await.body, "true");
            }
        })
    };
    for task in (0..40).map(ask).collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

//! The layer as a fairing of rocket.

use super::passage::Passage;
use super::response::Answering;
use crate::layer::{RateLimitLayer, Settings};
use rocket::fairing::{Fairing, Info, Kind, Result};
use rocket::http::Method::{self, Connect, Delete, Get, Head, Options, Patch, Post, Put, Trace};
use rocket::http::Status;
use rocket::route::{Handler, Outcome};
use rocket::{Build, Data, Request, Response, Rocket, Route};
use std::sync::Arc;

/// Fairings run in the order of attachment. So attach the layer before all fairings that use the context of a request, or read
/// the header fields of its response.
///
/// A fairing cannot answer a request. Therefore a layer with [`limit`](Self::limit)s mounts a route for each method, which
/// matches every path before all other routes. Such a route answers the requests that a limit refuses, and forwards all other
/// requests. In rocket's list of routes and in its log, these routes have the name `RateLimitLayer`.
///
/// rocket waits for the first bytes of a body before any fairing runs. The rest of the body is read only when a handler reads
/// it. The limits also count preflight requests of browsers. Exempt `OPTIONS` with [`By::request`](crate::By::request) if a
/// page of another origin calls the application.
///
/// A handler finds its request context by the tokio task that rocket spawns for each request. Handlers that rocket's local
/// client calls also find their context. But if one task dispatches several requests at once, they do not. The body of a
/// response is sent after the fairings have run, so a stream finds no context.
#[rocket::async_trait]
impl Fairing for RateLimitLayer {
    fn info(&self) -> Info {
        let kind = Kind::Request | Kind::Response;
        let kind = if self.settings.has_limits() { kind | Kind::Ignite } else { kind };
        Info { name: "RateLimitLayer", kind }
    }

    async fn on_ignite(&self, rocket: Rocket<Build>) -> Result {
        Ok(mount(rocket, &self.settings))
    }

    async fn on_request(&self, request: &mut Request<'_>, _: &mut Data<'_>) {
        let request = &*request;
        Passage::of(request).enter(&self.settings, request);
    }

    async fn on_response<'r>(&self, request: &'r Request<'_>, response: &mut Response<'r>) {
        let passage = Passage::of(request);
        let Some(passed) = passage.passed(&self.settings) else { return };
        passed.release();
        let context = &passed.entered.context;
        let mut answering = Answering { passage, response };
        context.sync_scope(|| self.settings.finish(&passed.entered, &mut answering));
        passage.leave(&passed);
    }
}

const NAME: &str = "RateLimitLayer";

const METHODS: [Method; 9] = [Get, Put, Post, Delete, Options, Head, Trace, Connect, Patch];

/// Answers the requests that a limit of the layer refuses, and forwards all other requests to the routes of the application.
#[derive(Clone)]
struct Gate {
    settings: Arc<Settings>,
}

/// Mounts the routes of a layer, after the routes of the layers around it, and before all other routes.
fn mount(rocket: Rocket<Build>, settings: &Arc<Settings>) -> Rocket<Build> {
    let ranks = rocket.routes().filter(|route| route.name.as_deref() == Some(NAME)).map(|route| route.rank);
    let rank = ranks.max().map_or(isize::MIN, |rank| rank.saturating_add(1));
    let routes = METHODS.map(|method| {
        let mut route = Route::ranked(rank, method, "/<_..>", Gate { settings: Arc::clone(settings) });
        route.name = Some(NAME.into());
        route
    });
    rocket.mount("/", routes.to_vec())
}

#[rocket::async_trait]
impl Handler for Gate {
    async fn handle<'r>(&self, request: &'r Request<'_>, data: Data<'r>) -> Outcome<'r> {
        let passage = Passage::of(request);
        let passed = passage.passed(&self.settings).unwrap_or_else(|| passage.enter(&self.settings, request));
        match passed.decide(request).await {
            // If no other route answers the request, rocket responds with this status.
            Ok(()) => Outcome::Forward((data, Status::NotFound)),
            Err(rejection) => Outcome::from(request, rejection),
        }
    }
}

//! The layer as a fairing of rocket.

use super::gate;
use super::passage::Passage;
use super::response::Answering;
use crate::layer::RateLimitLayer;
use rocket::fairing::{Fairing, Info, Kind, Result};
use rocket::{Build, Data, Request, Response, Rocket};

/// Fairings run in the order of attachment, so attach the layer before the fairings whose requests and responses it serves.
///
/// A fairing cannot answer a request. A layer with [`limit`](Self::limit)s therefore mounts a route for each method, which matches
/// every path before all other routes: it answers the requests that a limit refuses, and forwards the others. The list of routes
/// and the log name it `RateLimitLayer`. rocket waits for the first bytes of a body before any fairing runs, and
/// reads no more of it until a handler does. The limits count preflight requests of browsers too; exempt `OPTIONS` with
/// [`By::request`](crate::By::request) if a page of another origin calls the application.
///
/// A handler finds its request context by the tokio task that rocket spawns for each request. Handlers that rocket's local client
/// calls have it too, unless one task dispatches several requests at once. The body of a response is sent after the fairings
/// have seen it, so a stream has no context.
#[rocket::async_trait]
impl Fairing for RateLimitLayer {
    fn info(&self) -> Info {
        let kind = Kind::Request | Kind::Response;
        let kind = if self.settings().has_limits() { kind | Kind::Ignite } else { kind };
        Info { name: "RateLimitLayer", kind }
    }

    async fn on_ignite(&self, rocket: Rocket<Build>) -> Result {
        Ok(gate::mount(rocket, self.settings()))
    }

    async fn on_request(&self, request: &mut Request<'_>, _: &mut Data<'_>) {
        let request = &*request;
        Passage::of(request).enter(self.settings(), request);
    }

    async fn on_response<'r>(&self, request: &'r Request<'_>, response: &mut Response<'r>) {
        let passage = Passage::of(request);
        let Some(passed) = passage.passed(self.settings()) else { return };
        passed.release();
        let context = &passed.entered.context;
        let mut answering = Answering { passage, response };
        context.sync_scope(|| self.settings().finish(&passed.entered, &mut answering));
        passage.leave(&passed);
    }
}

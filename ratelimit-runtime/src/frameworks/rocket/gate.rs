//! `Gate`: the route that decides about the limits of a layer, before any other route.

use super::passage::Passage;
use crate::layer::Settings;
use rocket::http::{Method, Status};
use rocket::route::{Handler, Outcome};
use rocket::{Build, Data, Request, Rocket, Route};
use std::sync::Arc;

const NAME: &str = "RateLimitLayer";

const METHODS: [Method; 9] = [
    Method::Get,
    Method::Put,
    Method::Post,
    Method::Delete,
    Method::Options,
    Method::Head,
    Method::Trace,
    Method::Connect,
    Method::Patch,
];

/// Answers the requests that a limit of the layer refuses, and forwards the others to the routes of the application.
#[derive(Clone)]
struct Gate {
    settings: Arc<Settings>,
}

/// Mounts the routes of a layer, after those of the layers around it, and before all others.
pub(super) fn mount(rocket: Rocket<Build>, settings: &Arc<Settings>) -> Rocket<Build> {
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
            // The status of a request that no route answers.
            Ok(()) => Outcome::Forward((data, Status::NotFound)),
            Err(rejection) => Outcome::from(request, rejection),
        }
    }
}

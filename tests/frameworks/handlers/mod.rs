//! Handlers of real applications, rebuilt with their signatures: what has to change before the attribute limits them.

mod actix;
mod axum;
mod others;
mod poem;
mod rocket;
mod tonic;

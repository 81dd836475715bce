//! Handlers of public applications with their real signatures, one file per framework.

mod actix;
mod others;
mod poem;
mod rocket;
mod tonic;

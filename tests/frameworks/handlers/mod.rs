//! Handlers of real applications, rebuilt with their signatures: what has to change before the attribute limits them.

mod axum;

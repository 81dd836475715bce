//! Handlers of real applications, rebuilt with their signatures. They show what has to change before the attribute limits
//! them. Most of them only have to compile, because the contract and the answers of each framework prove what limited
//! handlers do.

#![allow(
    clippy::too_many_arguments,
    clippy::ref_binding_to_reference,
    reason = "the signatures are those of the applications"
)]

mod actix;
mod advice;
mod axum;
mod found;
mod hyper;
mod others;
mod salvo;
mod warnings;

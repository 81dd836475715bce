//! Keys and identities: `key` and every form of `by`.

mod clients;
mod expressions;
mod ids;
mod ip;
mod keys;
mod users_and_headers;

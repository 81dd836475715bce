//! Handlers of frameworks without a feature of this library. The types of `warp` are its own. Those of `lambda_http`,
//! `async-graphql` and `apalis` are stand-ins with the same bounds, because these crates have many dependencies.

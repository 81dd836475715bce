//! Warns about a permit that is returned before the stream for which it was taken has been sent.

use crate::body::hold_body::StreamingResponse;
use std::marker::PhantomData;

/// The return type of a function.
#[derive(Debug, Default)]
pub struct ReturnOf<T: ?Sized>(PhantomData<T>);

impl<T: ?Sized> ReturnOf<T> {
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// A function whose limit ends too early. A deprecated method is the only way to emit a warning in stable Rust. The return
/// type selects the trait, as explained in `__private::probe`.
pub trait OfStream {
    #[deprecated(
        note = "the limit ends when the function returns, before the stream has been sent: write `until = \"body_end\"`, or `until = \"return\"` if this is intended"
    )]
    fn limit_without_stream(&self);
}

impl<T: StreamingResponse + ?Sized> OfStream for &ReturnOf<T> {
    fn limit_without_stream(&self) {}
}

/// Any other function.
pub trait NoStream {
    fn limit_without_stream(&self);
}

impl<T: ?Sized> NoStream for ReturnOf<T> {
    fn limit_without_stream(&self) {}
}

/// The argument of a function that upgrades a connection to a WebSocket.
#[derive(Debug)]
pub struct Upgrade;

impl Upgrade {
    #[deprecated(
        note = "the permit is returned at the upgrade, before the socket is used: take one with `limiter.permit(..)` and move it into the task of the socket, or write `until = \"return\"` if this is intended"
    )]
    pub const fn limit_without_socket() {}
}

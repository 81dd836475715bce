//! Merges what the arguments say about the client. If they do not say enough, the function does not compile.

use super::{Address, Bare, Candidate, Client, Peer, Resolved, Socket};
use crate::__private::probe::{Nothing, merge};
use std::marker::PhantomData;

merge! {
    /// Merges the next argument into the earlier ones.
    #[diagnostic::on_unimplemented(
        message = "`by = \"ip\"`: more than one argument has the address of the client",
        label = "ambiguous",
        note = "remove one of them, or write the value that identifies the client, as in `by = client`"
    )]
    MergeAddress;
    [] Nothing, Nothing => Nothing: |none, _| none;
    ['a, K] Nothing, Candidate<'a, K> => Candidate<'a, K>: |_, next| next;
    [K: 'static] Nothing, Kept<K> => Candidate<'static, K>: |_, kept| Candidate::new(kept.0, None);
    ['a, K] Candidate<'a, K>, Nothing => Candidate<'a, K>: |found, _| found;
    ['a, K: Meets<L>, L] Candidate<'a, K>, Candidate<'a, L> => Candidate<'a, K::Kind>: |this, next| {
        let Client { address, headers } = K::choose(this.client, next.client);
        Candidate::new(address, headers)
    };
}

/// Chooses between arguments of two kinds. Two `Resolved` or two `Socket` arguments have no implementation, because neither
/// argument is better. So a function with two such arguments does not compile.
pub trait Meets<Next> {
    type Kind;
    fn choose<'a>(this: Client<'a>, next: Client<'a>) -> Client<'a>;
}

macro_rules! meets {
    ($($this:ty, $next:ty => $kind:ty: $choose:expr;)*) => {$(
        impl Meets<$next> for $this {
            type Kind = $kind;
            fn choose<'a>(this: Client<'a>, next: Client<'a>) -> Client<'a> {
                $choose(this, next)
            }
        }
    )*};
    // The first kind takes precedence, in whichever order the arguments are written.
    ($($first:ty > $($second:ty)+;)*) => {$($(
        meets! {
            $first, $second => $first: prefer;
            $second, $first => $first: |this, next| prefer(next, this);
        }
    )+)*};
}

meets! {
    Resolved > Peer Socket Bare Nothing;
    Peer > Socket Bare Nothing;
    Socket > Bare Nothing;
    Bare > Nothing;
}

meets! {
    Peer, Peer => Peer: of_peers;
    Bare, Bare => Bare: prefer;
    Nothing, Nothing => Nothing: prefer;
}

/// Takes the address of the first argument. If the first argument has no headers, takes the headers of the other argument.
fn prefer<'a>(first: Client<'a>, other: Client<'a>) -> Client<'a> {
    Client { address: first.address, headers: first.headers.or(other.headers) }
}

/// Prefers the argument with headers. If both arguments have headers, or neither has, prefers the first argument. If the peer
/// of the preferred argument is unknown, the peer of the other argument is used.
fn of_peers<'a>(this: Client<'a>, next: Client<'a>) -> Client<'a> {
    let (first, second) =
        if this.headers.is_none() && next.headers.is_some() { (next, this) } else { (this, next) };
    match first.address {
        Address::Peer(None) => Client { address: second.address, headers: first.headers },
        _ => prefer(first, second),
    }
}

/// Copies the address out of an argument that is moved before the key is written. The headers of that argument are lost.
pub trait KeptAddress {
    type Kept: Copy;
    fn kept(self) -> Self::Kept;
}

impl KeptAddress for Nothing {
    type Kept = Self;
    fn kept(self) -> Self {
        self
    }
}

impl<K: Copy> KeptAddress for Candidate<'_, K> {
    type Kept = Kept<K>;
    fn kept(self) -> Kept<K> {
        Kept(self.client.address, PhantomData)
    }
}

/// A candidate that borrows nothing.
#[derive(Clone, Copy)]
pub struct Kept<Kind>(Address, PhantomData<Kind>);

/// The result of a merge. A result that is only a plain IP address does not implement this trait, so it is a compile error.
#[diagnostic::on_unimplemented(
    message = "`by = \"ip\"`: a plain IP address may not be that of the client",
    label = "no other argument has the address of the client",
    note = "if you trust the argument, write it: `by = addr`. Do not trust rocket's `IpAddr`, which is read from a header that anybody can send; its `SocketAddr` is the peer"
)]
pub trait TrustedAddress {
    fn trusted(self) -> Self;
}

/// The address that was found among all arguments.
#[diagnostic::on_unimplemented(
    message = "`by = \"ip\"`: no argument of this function has the address of the client",
    label = "add the request, or the peer, such as `ConnectInfo<SocketAddr>` of axum 0.8 or `SocketAddr` of rocket",
    note = "enable the framework's feature of `ratelimit-runtime`; in a function that cannot have such an argument, write `by = ratelimit::context::client_ip()` and add `RateLimitLayer` to the service",
    note = "a type of your own that knows the client can implement `ratelimit::ClientIp`; only arguments are searched: if `self` or a field knows the client, write the value, as in `by = self.0`",
    note = "a `Request` of http 0.2 is another type than that of http 1: write the address that the server has put into it, as in `by = request.extensions().get::<SocketAddr>()`"
)]
#[cfg_attr(
    feature = "rmcp-3",
    diagnostic::on_unimplemented(
        note = "in a tool or prompt of rmcp, add `context: RequestContext<RoleServer>`, which has the HTTP request"
    )
)]
pub trait FoundAddress<'a> {
    fn found(self) -> Client<'a>;
}

macro_rules! complete {
    ($($trusted:ty),*; $($found:ty),*) => {
        $(#[diagnostic::do_not_recommend]
        impl TrustedAddress for $trusted {
            fn trusted(self) -> Self {
                self
            }
        })*

        $(#[diagnostic::do_not_recommend]
        impl<'a> FoundAddress<'a> for Candidate<'a, $found> {
            fn found(self) -> Client<'a> {
                self.client
            }
        })*
    };
}

// Every result except `Bare` implements `TrustedAddress`. Every result with an address, also `Bare`, implements `FoundAddress`.
// So a result that fails one of the two traits passes the other, and a mistake causes only one error.
complete! {
    Nothing, Candidate<'_, Nothing>, Candidate<'_, Socket>, Candidate<'_, Peer>, Candidate<'_, Resolved>;
    Bare, Socket, Peer, Resolved
}

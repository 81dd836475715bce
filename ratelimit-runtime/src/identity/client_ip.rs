//! `ClientIp`: types of an application that know the address of the client.

use std::net::IpAddr;
use std::sync::Arc;

/// A type that knows the address of the client, such as an extractor of your own that has resolved it.
///
/// `by = "ip"` finds the argument with the address by this trait. The address is final: the limiter does not look for another
/// client behind it. So return neither the address of a proxy nor what a client has sent. The requests and connections of the
/// web frameworks do not implement it, because they know only the peer, from which the limiter resolves the client.
///
/// ```
/// use ratelimit::{ClientIp, Rejection, rate_limit};
/// use std::net::IpAddr;
///
/// /// An extractor that has resolved the client behind the proxies of this service.
/// struct Client { address: IpAddr }
///
/// impl ClientIp for Client {
///     fn client_ip(&self) -> Option<IpAddr> {
///         Some(self.address)
///     }
/// }
///
/// #[rate_limit(time = 60, count = 5, by = "ip")]
/// async fn login(client: Client) -> Result<(), Rejection> {
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not know the address of the client",
    note = "implement `ratelimit::ClientIp` for the type, or write an address that you trust, as in `by = addr`"
)]
pub trait ClientIp {
    /// The address. A call with `None` is rejected.
    fn client_ip(&self) -> Option<IpAddr>;
}

impl<T: ClientIp + ?Sized> ClientIp for &T {
    fn client_ip(&self) -> Option<IpAddr> {
        (**self).client_ip()
    }
}

impl<T: ClientIp + ?Sized> ClientIp for &mut T {
    fn client_ip(&self) -> Option<IpAddr> {
        (**self).client_ip()
    }
}

impl<T: ClientIp + ?Sized> ClientIp for Arc<T> {
    fn client_ip(&self) -> Option<IpAddr> {
        (**self).client_ip()
    }
}

impl<T: ClientIp> ClientIp for Option<T> {
    fn client_ip(&self) -> Option<IpAddr> {
        self.as_ref()?.client_ip()
    }
}

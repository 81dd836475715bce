//! Peers, headers and users in the requests and guards of rocket.
//!
//! rocket's `IpAddr` guard and `Request::client_ip` read a header that anybody can send, so nothing here uses them.

use crate::__private::{RequestArgument, callers};
use crate::frameworks::request_type;
use crate::identity::{PeerAddr, RequestHeaders};
use rocket::data::FromData;
use rocket::form::Form;
use rocket::http::uri::{Host, Origin};
use rocket::http::{ContentType, CookieJar, HeaderMap};
use rocket::request::FromRequest;
use rocket::response::Responder;
use rocket::{Data, Request, State};

request_type! {
    [] Request<'_>, |request| {
        headers: request.headers(),
        peer: request.remote().map(PeerAddr::from),
        method: request.method().as_str(),
        path: request.uri().path().as_str(),
    }
}

impl RequestHeaders for HeaderMap<'_> {
    /// The value of the header. `None` if the header occurs more than once.
    fn header(&self, name: &str) -> Option<&[u8]> {
        let mut values = self.get(name);
        let value = values.next()?;
        values.next().is_none().then_some(value.as_bytes())
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.get(name).for_each(|value| line(value.as_bytes()));
    }
}

impl RequestArgument for HeaderMap<'_> {}
impl RequestArgument for CookieJar<'_> {}
impl RequestArgument for ContentType {}
impl RequestArgument for Data<'_> {}
impl RequestArgument for Host<'_> {}
impl RequestArgument for Origin<'_> {}
impl<T> RequestArgument for Form<T> {}
impl<T: Send + Sync + 'static> RequestArgument for State<T> {}

callers! {
    ArgumentOf [&&&&&] for<'r> if FromRequest<'r> => OfClients;
    ArgumentOf [&&&&] for<'r> if FromData<'r> => OfClients;
    ReturnOf [&&&&&] for<'r> if Responder<'r, 'r> => OfClients;
}

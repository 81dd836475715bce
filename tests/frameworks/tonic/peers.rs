//! The peers of gRPC calls: TCP, unix sockets, pipes in memory, axum's router, and an address that the application has set.

use super::service::{LimitsServer, Service, serve};
use super::wire::{Client, listen};
use crate::harness::server;
use futures_util::StreamExt;
use ratelimit::identity::PeerAddr;
use ratelimit::{MemoryStore, RateLimitLayer, RateLimiter};
use std::net::{IpAddr, SocketAddr};
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::{TlsAcceptor, rustls};
use tonic::service::{InterceptorLayer, Routes};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, Server, ServerTlsConfig, Uri};
use tonic::{Code, Request, Status};

const LOGIN: &str = "/test.Limits/Login";
const CONTEXT: &str = "/test.Limits/Context";

/// Asserts that the client has its own limits: two logins, and one call that finds its address in the context.
async fn assert_is_known(client: &Client) {
    for _ in 0..2 {
        client.call(LOGIN).await.unwrap();
    }
    client.call(CONTEXT).await.unwrap();
    for path in [LOGIN, CONTEXT] {
        assert_eq!(client.call(path).await.unwrap_err().code(), Code::ResourceExhausted, "{path}");
    }
}

/// Asserts that calls without an address are rejected. Otherwise, clients without an address would share a limit.
async fn assert_is_unknown(client: &Client) {
    for path in [LOGIN, CONTEXT] {
        assert_eq!(client.call(path).await.unwrap_err().code(), Code::Unavailable, "{path}");
    }
}

fn layer() -> RateLimitLayer {
    RateLimitLayer::new().limiter(RateLimiter::in_memory())
}

#[tokio::test]
async fn clients_of_a_router_of_axum_are_known_by_its_connect_info() {
    let app = Routes::new(LimitsServer::new(Service)).into_axum_router().layer(layer());
    let server = server::serve(app.clone()).await;
    for last in [2, 3] {
        assert_is_known(&Client::new(server, last)).await;
    }
    let server = server::serve_without_peers(app).await;
    assert_is_unknown(&Client::new(server, 2)).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_unix_socket_has_no_address_unless_its_proxy_names_one() {
    use tonic::codegen::tokio_stream::wrappers::UnixListenerStream;

    let trusting = RateLimiter::builder().trusted_proxies(["unix"]).store(MemoryStore::new());
    for (number, limiter) in
        [RateLimiter::in_memory(), trusting.connect().await.unwrap()].into_iter().enumerate()
    {
        let path = std::env::temp_dir().join(format!("ratelimit-{}-{number}.sock", std::process::id()));
        let listener = tokio::net::UnixListener::bind(&path).unwrap();
        let layer = RateLimitLayer::new().limiter(limiter);
        let server = Server::builder().layer(layer).add_service(LimitsServer::new(Service));
        tokio::spawn(server.serve_with_incoming(UnixListenerStream::new(listener)));
        let channel = Endpoint::from_shared(format!("unix://{}", path.display())).unwrap().connect_lazy();
        let client = Client::of_channel(channel);
        assert_is_unknown(&client).await;
        let named = client.call_with(LOGIN, &[("x-forwarded-for", "203.0.113.7")]).await;
        assert_eq!(named.is_ok(), number == 1, "{named:?}");
        std::fs::remove_file(path).unwrap();
    }
}

/// A trusted proxy writes the client into the metadata. The metadata of other peers is ignored.
#[tokio::test]
async fn clients_behind_a_trusted_proxy_have_their_own_limits() {
    let builder = RateLimiter::builder().trusted_proxies(["127.0.0.2"]).store(MemoryStore::new());
    let server = serve(builder.connect().await.unwrap()).await;
    let (proxy, stranger) = (Client::new(server, 2), Client::new(server, 3));
    for path in [CONTEXT, LOGIN] {
        let call = async |from: &Client, client: &str| {
            let answer = from.call_with(path, &[("x-forwarded-for", client)]).await;
            answer.map_or_else(|status| status.code(), |_| Code::Ok)
        };
        for client in ["203.0.113.7", "203.0.113.8", "spoofed, 203.0.113.9"] {
            assert_eq!(call(&proxy, client).await, Code::Ok, "{path} {client}");
        }
        let _ = call(&proxy, "203.0.113.7").await;
        assert_eq!(call(&proxy, "spoofed, 203.0.113.7").await, Code::ResourceExhausted, "{path}");
        assert_eq!(call(&stranger, "203.0.113.10").await, Code::Ok, "{path}");
        let _ = call(&stranger, "203.0.113.10").await;
        assert_eq!(call(&stranger, "203.0.113.11").await, Code::ResourceExhausted, "{path}");
    }
}

/// Returns a client over a pipe in memory, as in tests of applications. An interceptor sets the address, if there is one.
async fn over_a_pipe(address: Option<IpAddr>) -> Client {
    let (client, server) = tokio::io::duplex(1024);
    let identify = move |mut request: Request<()>| -> Result<Request<()>, Status> {
        if let Some(address) = address {
            request.extensions_mut().insert(PeerAddr::from(address));
        }
        Ok(request)
    };
    let server_side = Server::builder()
        .layer(InterceptorLayer::new(identify))
        .layer(layer())
        .add_service(LimitsServer::new(Service));
    let incoming = tonic::codegen::tokio_stream::once(Ok::<_, std::io::Error>(server));
    tokio::spawn(server_side.serve_with_incoming(incoming));
    let mut client = Some(hyper_util::rt::TokioIo::new(client));
    let connector = tower::service_fn(move |_: Uri| {
        std::future::ready(client.take().ok_or_else(|| std::io::Error::other("there is one connection")))
    });
    let channel = Endpoint::from_static("http://pipe").connect_with_connector(connector).await.unwrap();
    Client::of_channel(channel)
}

#[tokio::test]
async fn an_application_can_set_the_peer() {
    assert_is_unknown(&over_a_pipe(None).await).await;
    assert_is_known(&over_a_pipe(Some(IpAddr::from([203, 0, 113, 7]))).await).await;
}

/// The clients of an encrypted connection are known, whether tonic or the application accepts the connection.
#[tokio::test]
async fn clients_of_tls_are_known() {
    let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, private) = (key.cert.pem(), key.signing_key.serialize_pem());
    let client = |server: SocketAddr| {
        let tls = ClientTlsConfig::new().domain_name("localhost");
        let tls = tls.ca_certificate(Certificate::from_pem(&certificate));
        let endpoint = Endpoint::from_shared(format!("https://{server}")).unwrap();
        Client::of_channel(endpoint.tls_config(tls).unwrap().connect_lazy())
    };

    let (address, incoming) = listen().await;
    let accepted_by_tonic = client(address);
    let tls = ServerTlsConfig::new().identity(Identity::from_pem(&certificate, &private));
    let mut server = Server::builder().tls_config(tls).unwrap().layer(layer());
    let server = server.add_service(LimitsServer::new(Service));
    tokio::spawn(server.serve_with_incoming(incoming));
    assert_is_known(&accepted_by_tonic).await;

    let (address, incoming) = listen().await;
    let accepted_here = client(address);
    let chain = vec![key.cert.der().clone()];
    let private = PrivateKeyDer::try_from(key.signing_key.serialize_der()).unwrap();
    let mut config =
        rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(chain, private).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(std::sync::Arc::new(config));
    let incoming = incoming.then(move |stream| {
        let acceptor = acceptor.clone();
        async move { acceptor.accept(stream.unwrap()).await }
    });
    let server = Server::builder().layer(layer()).add_service(LimitsServer::new(Service));
    tokio::spawn(server.serve_with_incoming(Box::pin(incoming)));
    assert_is_known(&accepted_here).await;
}

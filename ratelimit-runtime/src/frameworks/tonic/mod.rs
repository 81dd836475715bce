//! tonic: its requests, gRPC statuses of rejections, the layer around a service, and streams that hold.

mod body;
mod layer;
mod request;
mod response;

pub(super) use request::peer;
pub(super) use response::GRPC;

//! Support for rmcp: the client of a tool call, and errors of the Model Context Protocol for rejections. All tools of a server
//! share one URL, so only an attribute can limit each of them separately.

mod request;
mod response;

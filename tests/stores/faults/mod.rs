//! Servers that fail: they restart, are unreachable, silent or slow, lose replies, forget scripts, or send malformed replies.
//! Calls fail within a few deadlines, no call is counted twice, and limiters reconnect to their server.

mod behind_a_proxy;
mod building;
mod changed_servers;
mod forgotten_scripts;
mod lost_permits;
mod lost_replies;
mod malformed_replies;
mod missed_deadlines;
mod outages;
mod overtaken_requests;
mod own_store_status;
mod postponed;
mod reconnects;
mod refused_writes;
mod restarts;
mod silent_connections;
mod stalls;
mod status;
mod unreliable_server;

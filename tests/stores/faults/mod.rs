//! Servers that fail: they restart, are unreachable, silent or slow, lose replies, forget scripts, or reply nonsense.
//! Calls fail within few deadlines, no call is counted twice, and limiters find their server again.

mod behind_a_proxy;
mod building;
mod forgotten_scripts;
mod lost_permits;
mod lost_replies;
mod malformed_replies;
mod missed_deadlines;
mod outages;
mod overtaken_requests;
mod own_store_status;
mod reconnects;
mod restarts;
mod status;
mod unreliable_server;

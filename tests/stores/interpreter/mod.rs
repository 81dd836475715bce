//! The algorithms of the scripts in an interpreter of Lua 5.1, without a server: their functions are pure.

mod algorithms;
mod driver;
mod states;

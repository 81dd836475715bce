//! Runs the unchanged scripts in an interpreter of Lua 5.1, which is also the version in Redis and Valkey.

use super::commands;
use super::keyspace::{Bytes, Keyspace};
use super::reply::Reply;
use crate::planted;
use mlua::{Function, Lua, MultiValue, Table, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem;

/// The environment of a script. As in a real server, `redis.call` throws an error reply as a table. `struct.pack` packs all
/// numbers as doubles.
const AROUND: &str = r#"
local execute, pack = ...
redis = {
  pcall = execute,
  call = function(...)
    local reply = execute(...)
    if type(reply) == "table" and reply.err then error(reply, 0) end
    return reply
  end,
  error_reply = function(text) return { err = text } end,
}
struct = { pack = pack }
return function(script, keys, arguments)
  KEYS, ARGV = keys, arguments
  local ran, reply = pcall(script)
  if ran or type(reply) == "table" then return reply end
  return { err = "ERR " .. tostring(reply) }
end
"#;

/// The interpreter of a thread. All simulated servers of the thread share it, because creating one for each server would take
/// longer than all of its calls.
struct Interpreter {
    lua: Lua,
    run: Function,
    known: RefCell<BTreeMap<String, Function>>,
}

thread_local! {
    static INTERPRETER: Interpreter = Interpreter::new();
    /// The keys of the server whose script runs.
    static KEYS: RefCell<Keyspace> = RefCell::default();
}

/// Returns the SHA-1 digest of a script.
pub(crate) fn digest(text: &[u8]) -> String {
    redis::Script::new(&String::from_utf8_lossy(text)).get_hash().to_owned()
}

/// Compiles a script, unless this thread has already done so. Returns an error reply if the script does not compile.
pub(crate) fn compile(digest: &str, text: &[u8]) -> Result<(), Reply> {
    INTERPRETER.with(|interpreter| {
        if interpreter.known.borrow().contains_key(digest) {
            return Ok(());
        }
        let function = interpreter.lua.load(planted::script(text)).into_function();
        let function =
            function.map_err(|error| Reply::Error(format!("ERR Error compiling script: {error}")))?;
        interpreter.known.borrow_mut().insert(digest.to_owned(), function);
        Ok(())
    })
}

/// Runs a compiled script.
pub(crate) fn run(keys: &mut Keyspace, digest: &str, names: &[Bytes], arguments: &[Bytes]) -> Reply {
    KEYS.with_borrow_mut(|current| mem::swap(current, keys));
    let reply = INTERPRETER.with(|interpreter| interpreter.run(digest, names, arguments));
    KEYS.with_borrow_mut(|current| mem::swap(current, keys));
    reply.unwrap_or_else(|error| Reply::Error(format!("ERR {error}")))
}

impl Interpreter {
    fn new() -> Self {
        let lua = Lua::new();
        let set_up = || {
            let execute = lua.create_function(|lua, words: MultiValue| {
                let words: Vec<Bytes> = words.into_iter().map(|word| argument(&word)).collect();
                let reply = KEYS.with_borrow_mut(|keys| commands::execute(keys, &words));
                to_lua(lua, reply)
            })?;
            let pack = lua.create_function(|lua, words: MultiValue| {
                let numbers = words
                    .into_iter()
                    .skip(1)
                    .filter_map(|word| word.as_f64().or_else(|| word.as_integer().map(whole)));
                lua.create_string(numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
            })?;
            lua.load(AROUND).call::<Function>((execute, pack))
        };
        let run = set_up().unwrap_or_else(|error| unreachable!("{error}"));
        Self { lua, run, known: RefCell::default() }
    }

    fn run(&self, digest: &str, names: &[Bytes], arguments: &[Bytes]) -> mlua::Result<Reply> {
        let Some(script) = self.known.borrow().get(digest).cloned() else {
            return Ok(Reply::error("NOSCRIPT No matching script. Please use EVAL."));
        };
        let list = |texts: &[Bytes]| -> mlua::Result<Table> {
            self.lua.create_sequence_from(
                texts.iter().map(|text| self.lua.create_string(text)).collect::<mlua::Result<Vec<_>>>()?,
            )
        };
        from_lua(self.run.call((script, list(names)?, list(arguments)?))?)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "Lua 5.1 has no integers, and the scripts use those below 2^53"
)]
fn whole(number: mlua::Integer) -> f64 {
    number as f64
}

/// Converts a value that a script passes to a command. A real server writes a number with 17 digits, but this function writes
/// the shortest exact form.
fn argument(word: &Value) -> Bytes {
    match word {
        Value::String(text) => text.as_bytes().to_vec(),
        Value::Integer(number) => number.to_string().into_bytes(),
        Value::Number(number) => number.to_string().into_bytes(),
        other => format!("{other:?}").into_bytes(),
    }
}

fn to_lua(lua: &Lua, reply: Reply) -> mlua::Result<Value> {
    let field = |name: &str, text: &str| {
        let table = lua.create_table()?;
        table.raw_set(name, text)?;
        Ok(Value::Table(table))
    };
    match reply {
        Reply::Status(text) => field("ok", text),
        Reply::Error(text) => field("err", &text),
        #[expect(clippy::cast_precision_loss, reason = "Lua 5.1 has no integers")]
        Reply::Integer(number) => Ok(Value::Number(number as f64)),
        Reply::Text(text) => lua.create_string(text).map(Value::String),
        Reply::Nothing => Ok(Value::Boolean(false)),
        Reply::Array(parts) => {
            let parts = parts.into_iter().map(|part| to_lua(lua, part)).collect::<mlua::Result<Vec<_>>>()?;
            lua.create_sequence_from(parts).map(Value::Table)
        }
    }
}

/// Converts the value that a script returns to the reply of the server.
fn from_lua(value: Value) -> mlua::Result<Reply> {
    Ok(match value {
        Value::String(text) => Reply::text(&*text.as_bytes()),
        Value::Integer(number) => Reply::Integer(number),
        #[expect(clippy::cast_possible_truncation, reason = "servers cut off the fraction")]
        Value::Number(number) => Reply::Integer(number as i64),
        Value::Boolean(true) => Reply::Integer(1),
        Value::Table(table) => match (table.raw_get("err")?, table.raw_get::<Option<mlua::String>>("ok")?) {
            (Some(error), _) => Reply::Error(error),
            (None, Some(_)) => Reply::OK,
            (None, None) => Reply::Array(
                table.sequence_values().map(|part| from_lua(part?)).collect::<mlua::Result<_>>()?,
            ),
        },
        _ => Reply::Nothing,
    })
}

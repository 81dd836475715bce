//! The connections of the server. One Lua state (`commands.lua`, `collections.lua`, `scripts.lua`) runs all commands one after
//! another.

use mlua::{Function, Lua, Table};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{ExitCode, exit};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

type Words = Vec<Vec<u8>>;

/// A command, and the channel for its reply.
type Request = (Words, Sender<Vec<u8>>);

/// Serves on the loopback port of `--port`, until a client sends `SHUTDOWN`.
pub(crate) fn run() -> ExitCode {
    if std::env::args().any(|argument| argument == "--version") {
        println!("ratelimit-lua54 for the store tests");
        return ExitCode::SUCCESS;
    }
    let option = |name| std::env::args().skip_while(|argument| argument != name).nth(1);
    let (Some(Ok(port)), Some(directory)) = (option("--port").map(|port| port.parse()), option("--dir"))
    else {
        eprintln!("expected `--port` and `--dir`");
        return ExitCode::FAILURE;
    };
    let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) else {
        eprintln!("Failed listening on port {port}");
        return ExitCode::FAILURE;
    };
    let (requests, received) = channel();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let requests = requests.clone();
            thread::spawn(move || serve(connection, &requests));
        }
    });
    match execute(&received, directory) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Executes commands until `SHUTDOWN`, which ends the process.
fn execute(requests: &Receiver<Request>, directory: String) -> mlua::Result<()> {
    let lua = Lua::new();
    let micros = lua.create_function(|_, ()| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(u64::try_from(now.as_micros()).unwrap_or(u64::MAX))
    })?;
    let sha1 = lua.create_function(|_, text: mlua::String| {
        Ok(sha1_smol::Sha1::from(text.as_bytes()).digest().to_string())
    })?;
    let part = |text, name: &str| lua.load(text).set_name(name);
    let (commands, keyspace): (Table, Table) =
        part(include_str!("commands.lua"), "=commands").call((micros, directory))?;
    let () = part(include_str!("collections.lua"), "=collections").call((&commands, keyspace))?;
    let execute: Function = part(include_str!("scripts.lua"), "=scripts").call((commands, sha1))?;
    for (words, reply) in requests {
        if words.first().is_some_and(|word| word == b"SHUTDOWN") {
            exit(0);
        }
        let words = words.iter().map(|word| lua.create_string(word)).collect::<mlua::Result<Vec<_>>>()?;
        let bytes: mlua::String = execute.call(words)?;
        // The client may have disconnected.
        let _ = reply.send(bytes.as_bytes().to_vec());
    }
    Ok(())
}

fn serve(mut connection: TcpStream, requests: &Sender<Request>) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut input = BufReader::new(connection.try_clone()?);
    let (reply, replies) = channel();
    loop {
        let words = (0..number(&mut input)?).map(|_| word(&mut input)).collect::<io::Result<Words>>()?;
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        requests.send((words, reply.clone())).map_err(gone)?;
        let bytes = replies.recv().map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        connection.write_all(&bytes)?;
    }
}

/// Reads a word such as `$3\r\nGET\r\n`.
fn word(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut word = vec![0; number(input)? + 2];
    input.read_exact(&mut word)?;
    word.truncate(word.len() - 2);
    Ok(word)
}

/// Reads the number of a line such as `*2` or `$3`.
fn number(input: &mut impl BufRead) -> io::Result<usize> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    let number = line.get(1..).and_then(|number| number.trim_end().parse().ok());
    number.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

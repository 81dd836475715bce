//! A client of rust-analyzer that speaks the part of the Language Server Protocol that completion needs.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(crate) struct Client {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    file: String,
    /// The id of the last request, which is also the version of the document.
    id: u64,
    /// Whether the project is loaded and its macros are built.
    ready: bool,
}

impl Client {
    /// Opens a file of a project, and waits until the project is loaded.
    pub(crate) fn start(project: &Path, file: &str) -> Self {
        let mut server = Command::new("rust-analyzer")
            .current_dir(project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
        let uri = |path: &Path| format!("file://{}", path.display());
        let file = uri(&project.join(file));
        let mut client = Self { server, input, output: BufReader::new(output), file, id: 0, ready: false };
        client.request(
            "initialize",
            &json!({
                "processId": std::process::id(),
                "rootUri": uri(project),
                "capabilities": { "experimental": { "serverStatusNotification": true } },
                "initializationOptions": { "checkOnSave": false, "cachePriming": { "enable": false } },
            }),
        );
        client.notify("initialized", &json!({}));
        let document = json!({ "uri": client.file, "languageId": "rust", "version": 0, "text": "" });
        client.notify("textDocument/didOpen", &json!({ "textDocument": document }));
        while !client.ready {
            client.read();
        }
        client
    }

    /// Returns the completions at the `|` in a text.
    pub(crate) fn complete(&mut self, text: &str) -> BTreeSet<String> {
        let (before, after) = text.split_once('|').unwrap();
        let line = before.rsplit('\n').next().unwrap();
        let document = json!({ "uri": self.file, "version": self.id + 1 });
        let change = json!([{ "text": format!("{before}{after}") }]);
        self.notify("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": change }));
        let position = json!({ "line": before.matches('\n').count(), "character": line.len() });
        let document = json!({ "uri": self.file });
        let answer = self
            .request("textDocument/completion", &json!({ "textDocument": document, "position": position }));
        let items = answer["items"].as_array().or(answer.as_array()).cloned().unwrap_or_default();
        let label = |item: &Value| item["label"].as_str().unwrap_or_default().to_owned();
        items.iter().map(label).collect()
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }));
        loop {
            let message = self.read();
            if message["id"] == self.id && message["method"].is_null() {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
        }
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    /// Reads the next message. Answers a request of the server with `null`.
    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut header = String::new();
            assert!(self.output.read_line(&mut header).unwrap() > 0, "rust-analyzer has ended");
            match header.trim().split_once(": ") {
                Some(("Content-Length", bytes)) => length = bytes.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).unwrap();
        let message: Value = serde_json::from_slice(&text).unwrap();
        if message["method"] == "experimental/serverStatus" {
            assert_ne!(message["params"]["health"], "error", "{}", message["params"]);
            self.ready |= message["params"]["quiescent"] == true;
        } else if !message["method"].is_null() && !message["id"].is_null() {
            self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
        }
        message
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

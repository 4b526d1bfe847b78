# SPDX-License-Identifier: MIT
"""An editor without a screen: speaks the Language Server Protocol with `exhc lsp`."""

import json
import os
import pathlib
import queue
import subprocess
import threading
import urllib.parse

TIMEOUT = 60


def uri_of(path):
    return "file://" + urllib.parse.quote(str(path))


def position(text, needle, nth=0, behind=False):
    """Where `needle` stands in a text for the `nth` time, in units of UTF-16."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(needle, at + 1)
    at += len(needle) if behind else 0
    before = text[:at]
    line = before.count("\n")
    column = before[before.rfind("\n") + 1:]
    return {"line": line, "character": len(column.encode("utf-16-le")) // 2}


def offset(text, place):
    """The index in a text of such a position."""
    lines = text.split("\n")
    at = sum(len(line) + 1 for line in lines[:place["line"]])
    units = place["character"]
    for character in lines[place["line"]] if place["line"] < len(lines) else "":
        if units <= 0:
            break
        units -= 2 if ord(character) > 0xFFFF else 1
        at += 1
    return at


def edited(text, edits):
    """The text with edits made, from the last one to the first."""
    for edit in sorted(edits, key=lambda e: offset(text, e["range"]["start"]), reverse=True):
        begin, end = (offset(text, edit["range"][side]) for side in ("start", "end"))
        text = text[:begin] + edit["newText"] + text[end:]
    return text


class RpcError(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Editor:
    """One server. What it tells by itself waits in queues, by method and document."""

    def __init__(self, exhc, initialize=True):
        self.process = subprocess.Popen([exhc, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, bufsize=0)
        self.answers = queue.Queue()
        self.told = {}
        self.lock = threading.Lock()
        self.last = 0
        self.reader = threading.Thread(target=self.read_all, daemon=True)
        self.reader.start()
        if initialize:
            self.capabilities = self.ask("initialize", {"processId": os.getpid(), "rootUri": None,
                                                        "capabilities": {}})["capabilities"]
            self.tell("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(TIMEOUT)
        self.reader.join(TIMEOUT)
        self.process.stdout.close()
        self.process.stderr.close()

    def queue_of(self, method):
        with self.lock:
            return self.told.setdefault(method, queue.Queue())

    def read_all(self):
        stream = self.process.stdout
        rest = b""
        while True:
            while b"\r\n\r\n" not in rest:
                part = stream.read(65536)
                if not part:
                    self.answers.put(None)
                    return
                rest += part
            head, rest = rest.split(b"\r\n\r\n", 1)
            length = int(head.split(b":")[1])
            while len(rest) < length:
                rest += stream.read(65536)
            message, rest = json.loads(rest[:length]), rest[length:]
            if "method" in message:
                name, params = message["method"], message["params"]
                self.queue_of(name + params.get("uri", "")).put(params)
            else:
                self.answers.put(message)

    def send_bytes(self, data):
        self.process.stdin.write(data)

    def send(self, message):
        data = json.dumps(message, ensure_ascii=False).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def tell(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method, params):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def answer(self):
        """The next message that answers something, whole."""
        message = self.answers.get(timeout=TIMEOUT)
        assert message is not None, f"the server is gone: {self.process.wait(TIMEOUT)}"
        return message

    def ask(self, method, params):
        number = self.begin(method, params)
        message = self.answer()
        assert message["id"] == number, message
        if "error" in message:
            raise RpcError(message["error"])
        return message["result"]

    def log(self):
        return self.queue_of("window/logMessage").get(timeout=TIMEOUT)["message"]

    def diagnostics(self, uri):
        """The next ones that are told, of this document."""
        return self.queue_of("textDocument/publishDiagnostics" + uri).get(timeout=TIMEOUT)["diagnostics"]

    def end(self):
        """The exit code."""
        self.process.stdin.close()
        return self.process.wait(TIMEOUT)


class Document:
    """A text that is open in an editor; on the disk unless it is told not to be."""

    def __init__(self, editor, path, text, language="exh", on_disk=True):
        self.editor, self.path, self.text, self.version = editor, pathlib.Path(path), text, 1
        self.uri = uri_of(path)
        if on_disk:
            self.path.write_text(text)
        editor.tell("textDocument/didOpen", {"textDocument": {
            "uri": self.uri, "languageId": language, "version": 1, "text": text}})

    def change(self, text):
        self.text = text
        self.version += 1
        self.editor.tell("textDocument/didChange", {
            "textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": [{"text": text}]})

    def replace(self, old, new):
        """As somebody types: only what differs is sent."""
        begin, end = position(self.text, old), position(self.text, old, behind=True)
        self.text = self.text.replace(old, new, 1)
        self.version += 1
        self.editor.tell("textDocument/didChange", {
            "textDocument": {"uri": self.uri, "version": self.version},
            "contentChanges": [{"range": {"start": begin, "end": end}, "text": new}]})

    def diagnostics(self):
        return self.editor.diagnostics(self.uri)

    def ask(self, method, needle=None, nth=0, behind=False, **more):
        params = {"textDocument": {"uri": self.uri}, **more}
        if needle is not None:
            params["position"] = position(self.text, needle, nth, behind)
        return self.editor.ask("textDocument/" + method, params)

    def hover(self, needle, nth=0):
        found = self.ask("hover", needle, nth)
        return found and found["contents"]["value"]

    def offered(self, needle, nth=0):
        """What could stand behind `needle`."""
        return [item["label"] for item in self.ask("completion", needle, nth, behind=True)["items"]]

    def definition(self, needle, nth=0):
        """The file and the line that a name is declared in, and its text there."""
        found = self.ask("definition", needle, nth)
        if found is None:
            return None
        path = urllib.parse.unquote(found["uri"].removeprefix("file://"))
        text = self.text if found["uri"] == self.uri else pathlib.Path(path).read_text()
        begin, end = (offset(text, found["range"][side]) for side in ("start", "end"))
        return os.path.basename(path), found["range"]["start"]["line"], text[begin:end]

    def colours(self):
        """(word, kind) of all words that have a colour."""
        legend = self.editor.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
        data = self.ask("semanticTokens/full")["data"]
        line = character = 0
        words = []
        for i in range(0, len(data), 5):
            ahead, right, length, kind, _ = data[i:i + 5]
            line, character = line + ahead, (right if ahead else character + right)
            begin = offset(self.text, {"line": line, "character": character})
            end = offset(self.text, {"line": line, "character": character + length})
            words.append((self.text[begin:end], legend[kind]))
        return words

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`search view` as a browser sees it, without one: a log that grows, breaks, is replaced and goes; what is refused; who
goes away and who is slow. The page itself is tested in page/test.

usage: view_test.py SEARCH"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import growing_log
from growing_log import GrowingLog, best, choice, end, evaluation, header

SEARCH = ""
TEMPLATE = ("<!--exhaust report 3--><title><!--title--></title><style>/**/</style><script type=\"application/json\" id=\"data\"><!--data--></script>"
            "<script>'page'</script>")
EVIL = "</script><img src=x onerror=\"broken=1\">'\u2028\x01"
WAIT = 20  # Seconds until something must have come on a busy machine; nothing is measured.


class Server:
    """A process of `search view`."""

    def __init__(self, run, *arguments, page="page.html", cwd="."):
        self.process = subprocess.Popen([SEARCH, "view", run, "--port", "0", "--page", page, *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, cwd=cwd)
        self.url = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)", self.url)
        if not match:
            raise AssertionError(f"no URL: '{self.url}' {self.process.communicate()}")
        self.port, self.root = int(match[1]), match[2]

    def get(self, path="", root=None, method="GET", headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        with contextlib.closing(connection):
            connection.request(method, (self.root if root is None else root) + path, headers=dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers

    def data(self, path=""):
        status, text, _ = self.get(path)
        assert status == 200, text
        return json.loads(re.search(r'id="data">(.*)</script><script', text, re.DOTALL)[1])

    def wait_for_data(self, holds, path=""):
        """The data of the page as soon as they are so."""
        until = time.monotonic() + WAIT
        while True:
            with contextlib.suppress(TypeError):  # There is no page yet.
                data = self.data(path)
                if holds(data):
                    return data
            if time.monotonic() > until:
                raise AssertionError(f"it never came: {data}")
            time.sleep(0.05)

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=WAIT)
        return self.process.returncode, out + err


class Stream:
    """Server-sent events, as a browser reads them."""

    def __init__(self, server, place, path="events", last=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT)
        headers = {"Accept": "text/event-stream", "Accept-Encoding": "gzip, deflate, br", **({"Last-Event-ID": last} if last else {})}
        self.connection.request("GET", f"{server.root}{path}?from={place}", headers=headers)
        self.answer = self.connection.getresponse()

    def next(self):
        """The next event: its name, its place and its data."""
        event = {}
        while True:
            line = self.answer.readline().decode()
            if line == "":
                return None
            line = line.rstrip("\n")
            if not line and "event" in event:
                return event["event"], event["id"], json.loads(event["data"])
            name, _, value = line.partition(": ")
            event[name] = value

    def until(self, holds):
        """Reads news until they are so, and returns all of them."""
        all_news = []
        while True:
            event = self.next()
            if event is None:
                raise AssertionError(f"the stream ended after {all_news}")
            all_news.append(event)
            if holds(*event):
                return all_news

    def close(self):
        self.connection.close()
        self.answer.close()


class View(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "page.html").write_text(TEMPLATE)

    def log(self, name="run", **more):
        log = GrowingLog(self.root / name / "log.jsonl")
        self.addCleanup(lambda: log.file.close())
        log.write(header(**more), choice(0), choice(1, "kind", ("LOOP", "UNROLL")))
        return log

    def serve(self, run="run", *arguments):
        server = Server(run, *arguments, cwd=self.root)
        self.addCleanup(server.process.communicate)
        self.addCleanup(lambda: server.process.poll() is None and server.process.kill())
        return server

    def stream(self, *arguments, **more):
        stream = Stream(*arguments, **more)
        self.addCleanup(stream.close)
        return stream

    def refused(self, *arguments):
        done = subprocess.run([SEARCH, "view", "--page", "page.html", *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False,
                              cwd=self.root)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_a_run_that_goes_on(self):
        log = self.log()
        log.write(evaluation(1, "00"), best(1, 949), evaluation(2, "1."))
        server = self.serve()
        data = server.wait_for_data(lambda data: data["runs"][0]["count"] == 2)
        run, = data["runs"]
        self.assertEqual((data["live"]["state"], run["evals"]["n"], run["end"], run["bests"]), ("running", [1, 2], None, [[1, 0.005, 949]]))
        stream = self.stream(server, data["live"]["place"])
        log.write(evaluation(3, "20", verdict="wrong", why="not 1", best_ns=0), evaluation(4, "01"), best(4, 896))
        # Half a record is none, and becomes one.
        whole = log.sealed(evaluation(5, "11"))
        log.file.write(whole[:100])
        news = stream.until(lambda name, place, data: data["run"]["count"] == 4)
        log.file.write(whole[100:])
        news += stream.until(lambda name, place, data: data["run"]["count"] == 5)
        self.assertEqual({name for name, _, _ in news}, {"news"})
        columns = {"n": run["evals"]["n"], "verdict": run["evals"]["verdict"]}
        decisions = {one["name"]: one["column"] for one in run["decisions"]}
        names = list(decisions)
        for _, _, one in news:
            piece = one["run"]
            self.assertEqual(piece["from"], len(columns["n"]))
            for name, column in columns.items():
                column += piece["evals"].get(name, [])
            for name, text in zip(names, piece["pieces"]):
                decisions[name] += text
            for decision in piece["decisions"]:
                names.append(decision["name"])
                decisions[decision["name"]] = decision["column"]
        self.assertEqual(columns, {"n": [1, 2, 3, 4, 5], "verdict": [0, 0, 1, 0, 0]})
        self.assertEqual(decisions, {"size(a)": "01201", "kind(a)": "0.011"})
        self.assertEqual(news[-1][2]["run"]["bests"], [[1, 0.005, 949], [4, 0.02, 896]])
        self.assertEqual(sum((one["run"]["reasons"] for _, _, one in news), []), ["not 1"])
        # A page that begins now has the same.
        run = server.data()["runs"][0]
        self.assertEqual(run["evals"]["n"], columns["n"])
        self.assertEqual({one["name"]: one["column"] for one in run["decisions"]}, decisions)
        # Who lost the connection gets what he lacks, from where the last event stood.
        again = self.stream(server, data["live"]["place"], last=news[0][1])
        log.write(evaluation(6, "11"))
        self.assertEqual(again.until(lambda *event: True)[0][2]["run"]["from"], news[0][2]["run"]["count"])
        self.assertEqual(server.end(), (0, "for up to 8 browsers of this machine; Ctrl-C ends it\n"))
        self.assertEqual(stream.until(lambda name, *event: name == "bye")[-1][2], {})
        self.assertIsNone(stream.next())

    def test_a_run_that_ends_is_the_report(self):
        log = self.log()
        log.write(*(evaluation(n, "01"[n % 2] + "0") for n in range(1, 6)), best(2, 998))
        server = self.serve()
        place = server.wait_for_data(lambda data: data["runs"][0]["count"] == 5)["live"]["place"]
        stream = self.stream(server, place)
        log.write(end(5))
        news = stream.until(lambda name, place, data: data["state"]["state"] == "ended")
        self.assertEqual(news[-1][2]["run"]["end"]["why"], "budget:evals")
        data = server.data()
        self.assertEqual((data["live"]["state"], data["live"]["place"]), ("ended", "1:report"))
        report = subprocess.run([SEARCH, "report", "run", "--page", "page.html", "-o", "report.html"], check=True, cwd=self.root, capture_output=True)
        self.assertEqual(report.returncode, 0)
        expected = json.loads(re.search(r'id="data">(.*)</script><script', (self.root / "report.html").read_text(), re.DOTALL)[1])
        self.assertEqual(data["runs"], expected["runs"])
        # It goes on: its report is old.
        old = self.stream(server, "1:report")
        log.write({"t": "resume", "dt": 0.03, "started": "2026-02-01T12:00:00Z", "tool": "search 0.1.0", "conditions": "", "machine": {}, "argv": []},
                  evaluation(6, "10"))
        self.assertEqual(old.until(lambda name, *event: name == "anew")[-1][2], {})
        self.assertIsNone(old.next())
        self.assertEqual(server.data()["live"]["state"], "running")
        self.assertEqual(server.data()["runs"][0]["count"], 6)

    def test_a_log_that_is_damaged(self):
        log = self.log()
        log.write(evaluation(1))
        server = self.serve()
        data = server.wait_for_data(lambda data: data["runs"][0]["count"] == 1)
        stream = self.stream(server, data["live"]["place"])
        damaged = bytearray(log.sealed(evaluation(2)))
        damaged[20] ^= 1
        log.file.write(bytes(damaged))
        lost = log.sealed(evaluation(3))
        self.assertTrue(lost)
        log.write(evaluation(4))
        log.file.write(b"\xff\xfe{}[] nothing at all\n")
        log.write(evaluation(5))
        news = stream.until(lambda name, place, data: data["run"]["count"] == 3)
        problems = "\n".join(news[-1][2]["run"]["problems"])
        for words in ("line 5: checksum does not match", "line 6 is missing", "line 8: checksum does not match"):
            self.assertIn(words, problems)

    def test_a_log_that_is_cut_replaced_and_gone(self):
        log = self.log()
        log.write(*(evaluation(n) for n in range(1, 4)))
        server = self.serve()
        for k, change in enumerate(("cut", "replaced", "cut and longer")):
            data = server.wait_for_data(lambda data, k=k: data["runs"][0]["count"] == 3 and data["live"]["place"].startswith(f"{k + 1}:"))
            stream = self.stream(server, data["live"]["place"])
            if change == "replaced":
                os.unlink(log.path)
            log.file.close()
            log.begin()
            records = [header(kernel=f"axpy{k}", conditions="c" * 3000 * (k == 2)), choice(0), choice(1, "kind", ("LOOP", "UNROLL")), *(evaluation(n, dt=n + k) for n in range(1, 4))]
            log.write(*records)
            self.assertEqual(stream.until(lambda name, *event: name == "anew")[-1][2], {}, change)
            self.assertIsNone(stream.next())
            run = server.wait_for_data(lambda data, k=k: data["runs"][0]["run"]["kernel"] == f"axpy{k}" and data["runs"][0]["count"] == 3)["runs"][0]
            self.assertEqual(run["evals"]["dt"], [1 + k, 2 + k, 3 + k], change)
        data = server.data()
        stream = self.stream(server, data["live"]["place"])
        os.unlink(log.path)
        news = stream.until(lambda name, place, data: data["state"]["state"] == "trouble")
        self.assertIn("the log is not there any more", news[-1][2]["state"]["text"])
        self.assertEqual(server.data()["runs"][0]["count"], 3, "what was known is still shown")
        log.file.close()
        log.begin()
        log.write(header(), choice(0), evaluation(1, "0"))
        stream.until(lambda name, *event: name == "anew")
        server.wait_for_data(lambda data: data["runs"][0]["count"] == 1)

    def test_a_log_that_has_not_begun(self):
        (self.root / "run").mkdir()
        log = GrowingLog(self.root / "run" / "log.jsonl")
        whole = log.sealed(header())
        log.file.write(whole[:30])
        server = self.serve()
        status, text, headers = server.get()
        self.assertEqual(status, 200)
        self.assertIn("the log has no header yet", text)
        self.assertIn("http-equiv=\"refresh\"", text)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        log.file.write(whole[30:])
        self.assertEqual(server.wait_for_data(lambda data: True)["runs"][0]["count"], 0)
        log.write(choice(0), evaluation(1, "0"))
        server.wait_for_data(lambda data: data["runs"][0]["count"] == 1)
        log.file.close()

    def test_logs_that_are_refused(self):
        self.assertIn("no log at 'nowhere'", self.refused("nowhere"))
        self.assertIn("view which run?", self.refused())
        self.log("new", version=9)
        self.assertIn("is of version 9; this program reads 1 and 2", self.refused("new"))
        (self.root / "text").write_text("this is no log\n")
        self.assertIn("is not the log of a run: no header (line 1: checksum does not match)", self.refused("text"))
        os.mkfifo(self.root / "pipe")
        self.assertIn("cannot be read", self.refused("pipe"))
        # While it is watched, a log of another version is said, and not shown.
        log = self.log()
        server = self.serve()
        server.wait_for_data(lambda data: True)
        log.file.close()
        log.begin()
        log.write(header(version=9))
        until = time.monotonic() + WAIT
        while "is of version 9" not in server.get()[1]:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def test_ports(self):
        self.log()
        server = self.serve()
        other = self.refused("run", "--port", server.port)
        self.assertIn(f"port {server.port} of 127.0.0.1 is in use", other)
        self.assertIn("--port 0", other)
        for bad in ("-1", "65536"):
            self.assertIn(f"bad --port '{bad}'", self.refused("run", "--port", bad))
        self.refused("run", "--port", "many")
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            self.assertIn("is in use", self.refused("run", "--port", listening.getsockname()[1]))

    def test_only_this_machine_is_listened_to(self):
        self.log()
        server = self.serve()
        needle = f":{server.port:04X} "
        lines = [line.split() for file in ("tcp", "tcp6") if os.path.exists(f"/proc/net/{file}")
                 for line in pathlib.Path("/proc/net", file).read_text(encoding="ascii").splitlines() if needle in line and " 0A " in line]
        self.assertEqual([line[1] for line in lines], [f"0100007F:{server.port:04X}"])

    def test_who_is_refused(self):
        self.log()
        server = self.serve()
        wrong = "0" * 32 if "0" * 32 not in server.root else "1" * 32
        for root in ("/", "", f"/{wrong}/", f"/{wrong}/events", server.root[:-1], server.root[:-2] + "/", "/../../etc/passwd", f"/{wrong}/../{server.root}",
                     "//" + server.root[1:], "/" + server.root, "/%2e%2e/", "/" + "a" * 5000):
            status, text, headers = server.get(root=root or "/x")
            self.assertEqual(status, 403, root)
            self.assertNotIn("axpy", text)
            self.assertEqual(headers["Content-Security-Policy"], "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
        for path in ("log.jsonl", "run/x/", "../page.html", "..%2f..%2fetc%2fpasswd", "run/..%2f..%2f/", "events/", "%00", "page.html", "<script>"):
            self.assertEqual(server.get(path)[0], 404, path)
        for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"):
            self.assertEqual(server.get(method=method)[0], 405, method)
        for host, status in ((f"127.0.0.1:{server.port}", 200), ("localhost", 200), ("LOCALHOST:9999", 200), ("[::1]:80", 200), ("evil.example", 421),
                             (f"127.0.0.1.evil.example:{server.port}", 421), ("", 421), ("127.0.0.1@evil.example", 421), ("[::1", 421)):
            self.assertEqual(server.get(headers={"Host": host})[0], status, host)

    def test_the_policy_of_the_page(self):
        self.log()
        server = self.serve()
        status, text, headers = server.get()
        policy = headers["Content-Security-Policy"]
        nonce = re.search(r"script-src 'nonce-([0-9a-f]{32})'", policy)[1]
        self.assertEqual(status, 200)
        for words in ("default-src 'none'", f"style-src 'nonce-{nonce}'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
            self.assertIn(words, policy)
        self.assertNotIn("unsafe", policy)
        self.assertIn(f'<style nonce="{nonce}">', text)
        self.assertIn(f"<script nonce=\"{nonce}\">'page'", text)
        self.assertNotIn(nonce, server.get()[1], "each answer has its own")
        for name, value in (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
                            ("Cross-Origin-Resource-Policy", "same-origin")):
            self.assertEqual(headers[name], value)
        self.assertIsNone(headers["Access-Control-Allow-Origin"])

    def test_texts_that_want_to_be_more(self):
        log = self.log(kernel=EVIL, conditions=EVIL)
        log.write(choice(2, EVIL, (EVIL, "b"), (EVIL,)), evaluation(1, "000", why=EVIL, verdict="compile_error"), evaluation(2, "011", lane=EVIL),
                  {"t": "dead", "dt": 1, "label": EVIL, "depth": 1, "step": [2, 0]})
        server = self.serve()
        data = server.wait_for_data(lambda data: data["runs"][0]["count"] == 2)
        text = server.get()[1]
        body = text[text.index("id=\"data\">"):]
        self.assertEqual(body.count("<"), 3, "the data end where they end")
        self.assertNotIn("<img", text)
        self.assertNotIn("\u2028", body)
        stream = self.stream(server, data["live"]["place"])
        log.write(evaluation(3, "000", why=EVIL + "\n\nevent: bye\ndata: {}\n\n", verdict="crash"), evaluation(4, "<" * 20))
        events = stream.until(lambda name, place, data: data["run"]["count"] == 4)
        self.assertEqual({name for name, _, _ in events}, {"news"})
        self.assertIn("event: bye", "".join(reason for _, _, one in events for reason in one["run"]["reasons"]))
        log.write(evaluation(5, "000", why="no UTF-8: \udcff\udcfe <b>"), evaluation(6, "000"))
        news = stream.until(lambda name, place, data: data["run"]["count"] == 5)[-1][2]["run"]
        self.assertEqual(news["numProblems"], 1)
        # A place comes from outside, too.
        for place in ("x", "1:2", "99999999999999999999:0:0:0:0:0", "1:9:0:0:0:0", "1%0aevent:%20bye%0adata:%20{}", "a" * 3000):
            self.assertEqual(self.stream(server, place).next()[0], "anew", place)

    def test_eight_browsers(self):
        log = self.log()
        log.write(evaluation(1))
        server = self.serve()
        place = server.wait_for_data(lambda data: data["runs"][0]["count"] == 1)["live"]["place"]
        streams = [self.stream(server, place) for _ in range(8)]
        name, _, data = self.stream(server, place).next()
        self.assertEqual((name, data), ("full", {"most": 8}))
        self.assertEqual(server.get()[0], 200, "the page is still there to be seen")
        log.write(evaluation(2))
        for stream in streams:
            stream.until(lambda name, place, data: data["run"]["count"] == 2)
        # One goes away; after a while another one may come.
        streams.pop().close()
        until = time.monotonic() + WAIT
        while True:
            stream = self.stream(server, place)
            if stream.next()[0] == "news":
                break
            self.assertLess(time.monotonic(), until)
            time.sleep(0.1)

    def test_clients_that_are_slow_or_send_too_much(self):
        self.log()
        server = self.serve()

        def connect(text):
            client = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)
            self.addCleanup(client.close)
            with contextlib.suppress(OSError):
                client.sendall(text)
            return client

        def rest(client):
            with contextlib.suppress(OSError):
                return b"".join(iter(lambda: client.recv(1 << 16), b""))
            return b""

        begin = f"GET {server.root} HTTP/1.1\r\nHost: localhost\r\n".encode()
        for k in range(12):  # They never end their requests.
            connect(begin[:5 * k])
        self.assertEqual(server.get()[0], 200)
        for text in (b"", b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01" + bytes(300) + b"\r\n\r\n", b"\0" * 5000,
                     begin + b"Content-Length: -1\r\n\r\n", begin + b"Range: bytes=0-1,5-6,99999999999999999999-\r\n\r\n",
                     begin + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"):
            client = connect(text)
            client.shutdown(socket.SHUT_WR)
            rest(client)
        # Headers without an end: they are cut off long before they take memory.
        for line in (b"X-Much: " + b"a" * 100 + b"\r\n", b"a" * 1000):
            client = connect(begin + line * 200)
            self.assertRegex(rest(client), rb"^(HTTP/1.1 4\d\d |$)")
        self.assertEqual(server.get(headers={"X-Much": "a" * 4000})[0], 200)
        # Somebody who never reads what he asked for.
        for _ in range(3):
            connect(f"GET {server.root}events?from=1 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self.assertEqual(server.get()[0], 200)
        memory = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text())[1])
        self.assertLess(memory, 300_000)
        # And slow ones do not hold up the end.
        begin_end = time.monotonic()
        self.assertEqual(server.end()[0], 0)
        self.assertLess(time.monotonic() - begin_end, WAIT / 2)

    def test_signals_end_it(self):
        self.log()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.assertEqual(self.serve().end(number)[0], 0)

    def test_many_readers_and_a_writer(self):
        log = self.log()
        server = self.serve()
        place = server.wait_for_data(lambda data: True)["live"]["place"]
        counts = []

        def read():
            stream = Stream(server, place)
            with contextlib.closing(stream):
                have = 0
                for _, _, data in iter(stream.next, None):
                    if data["run"]["from"] != have:
                        return
                    have = data["run"]["count"]
                    if have == 500:
                        counts.append(have)
                        return

        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        for n in range(1, 501, 5):
            log.write(*(evaluation(k, f"{k % 3}{k % 2}") for k in range(n, n + 5)))
        for reader in readers:
            reader.join(timeout=2 * WAIT)
        self.assertEqual(counts, [500] * 4)

    def fleet(self):
        """A fleet of two shapes, which has hardly begun: what its runs are, a test writes."""
        (self.root / "shapes.jsonl").write_text("".join(json.dumps({"kernel": "axpy", "sizes": {"n": n}}) + "\n" for n in (64, 128)))
        with subprocess.Popen([SEARCH, "tune", "shapes.jsonl", "--budget", "1h", "--out", "fleet"], cwd=self.root, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True) as tune:
            until = time.monotonic() + WAIT
            while not list((self.root / "fleet").glob("tune/journal/*")) and time.monotonic() < until:
                time.sleep(0.02)
            tune.send_signal(signal.SIGTERM)
            tune.wait(timeout=WAIT)
        names = [json.loads(line)["name"] for line in (self.root / "fleet/tune/shapes.jsonl").read_text().splitlines()]
        self.assertEqual(len(names), 2)
        for name in names:
            shutil.rmtree(self.root / "fleet" / name, ignore_errors=True)
        return names

    def test_a_fleet(self):
        done, other = self.fleet()
        log = GrowingLog(self.root / "fleet" / done / "log.jsonl")
        self.addCleanup(lambda: log.file.close())
        log.write(header(kernel="axpy"), choice(0), *(evaluation(n, "0") for n in (1, 2)), best(1, 949), end(2))
        server = self.serve("fleet")
        data = server.wait_for_data(lambda data: data["fleet"]["counts"]["done"] == 1)
        self.assertEqual([shape["shape"] for shape in data["fleet"]["shapes"]], [done, other])
        run = server.data(f"run/{done}/")
        self.assertEqual((run["live"]["state"], run["runs"][0]["run"]["kernel"]), ("ended", "axpy"))
        self.assertIn("there is no log yet", server.get(f"run/{other}/")[1])
        for path in ("run/", f"run/{done}", "run/nobody/", "run/tune/", "run/../fleet/", f"run/{done}/log.jsonl", f"run/{done}/../tune/"):
            self.assertEqual(server.get(path)[0], 404, path)
        # The run goes on: the page of the fleet and that of the run are told.
        fleet = self.stream(server, data["live"]["place"])
        stream = self.stream(server, run["live"]["place"], path=f"run/{done}/events")
        log.write({"t": "resume", "dt": 0.03, "started": "2026-02-01T12:00:00Z", "tool": "search 0.1.0", "conditions": "", "argv": []}, evaluation(3, "1"))
        self.assertEqual(stream.next()[0], "anew")
        states = fleet.until(lambda name, place, data: name == "news" and data["fleet"]["counts"]["done"] == 0)[-1][2]["fleet"]["shapes"]
        self.assertEqual(states[1]["state"], "waiting")
        run = server.data(f"run/{done}/")
        self.assertEqual((run["live"]["state"], run["runs"][0]["count"]), ("running", 3))


if __name__ == "__main__":
    assert growing_log.crc32c(b"123456789") == 0xE3069283
    SEARCH = os.path.abspath(sys.argv.pop(1))
    unittest.main()

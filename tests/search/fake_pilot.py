#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A pilot (search/fleet) that measures nothing: a time is a function of the hash of the code. The
arguments say how it misbehaves, and when:

  garbage N     after N answers it says what is no message
  gigabyte N    … a line that does not end
  half N        … half a message, and the end of its output
  silent N      … nothing any more
  dies N        … and dies; so do those that are started in its place
  hates DIGIT   it dies of every code whose hash begins with one of these digits
  slow          it takes 30 ms for each measurement
  twice, late   it answers each time twice; it answers what was asked before once more
  stamp, device, driver, rates    it says that these are others
"""

import json
import os
import sys
import time

mode = sys.argv[1] if len(sys.argv) > 1 else ""
after = int(sys.argv[2]) if len(sys.argv) > 2 and mode != "hates" else 0


def say(message):
    text = json.dumps(message)
    pieces = [text[at : at + 900] for at in range(0, len(text), 900)]
    if len(pieces) > 1:
        pieces = ["+" + piece for piece in pieces[:-1]] + ["-" + pieces[-1]]
    sys.stdout.write("".join(piece + "\n" for piece in pieces))
    sys.stdout.flush()


def messages():
    whole = ""
    for line in sys.stdin:
        line = line.rstrip("\n")
        assert len(line) < 1000, len(line)
        if line[0] in "+-":
            whole += line[1:]
            if line[0] == "+":
                continue
        else:
            whole = line
        yield json.loads(whole)
        whole = ""


def misbehave():
    if mode == "garbage":
        print("Segmentation fault (just joking)", flush=True)
    elif mode == "gigabyte":
        for _ in range(1024):
            os.write(1, b"x" * (1 << 20))
    elif mode == "half":
        os.write(1, b'+{"id":1,"verd')
        sys.exit(0)
    elif mode == "silent":
        time.sleep(1000)
    elif mode == "dies":
        sys.exit("out of luck")


last = None
answered = 0
for message in messages():
    if "hello" in message:
        hello = message["hello"]
        ready = {
            "host": "nowhere",
            "stamp": hello["stamp"],
            "rates": hello["rates"],
            "device": "a fake",
            "versions": {"driver": "13.0"},
            "yardstick_text": "none",
        }
        if mode in ("stamp", "device", "rates"):
            ready[mode] = "another"
        if mode == "driver":
            ready["versions"] = {"driver": "12.8"}
        if mode in ("device", "driver"):
            time.sleep(0.5)  # Another one decides.
        say({"ready": ready})
    elif "id" in message:
        if mode in ("garbage", "gigabyte", "half", "silent", "dies") and answered >= after:
            misbehave()
        if mode == "hates" and message.get("code", "x")[0] in sys.argv[2]:
            sys.exit("this one again")
        answer = {"id": message["id"], "verdict": "correct", "compile_ms": 1.0}
        if message["mode"] not in ("compile", "yardsticks", "rates"):
            time.sleep(0.03 if mode == "slow" else 0)
            ns = 100 + int(message["code"][:4], 16) / 100
            answer.update({"times": [ns], "best": ns})
        if mode == "late" and last is not None:
            say(last)
        say(answer)
        if mode == "twice":
            say(answer | {"verdict": "wrong"})
        last = answer
        answered += 1

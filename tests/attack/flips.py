# SPDX-License-Identifier: MIT
"""Logs with one flipped bit: it is noticed, `search log repair` loses nothing, and the run goes on."""

import os

from attack_log import Readers

SHORT, LONG = 10, 200


def run(scene, count):
    readers = Readers(scene)
    for attempt in range(count):
        bit = scene.random.randrange(8 * len(readers.text))
        damaged = bytearray(readers.text)
        damaged[bit // 8] ^= 1 << bit % 8
        folder = readers.folder(f"flip{attempt}", bytes(damaged))
        failure = check(readers, folder, bytes(damaged), attempt)
        if failure is None and attempt % max(1, count // 4) == 0:
            failure = readers.resume(folder)
        yield f"bit {bit % 8} of byte {bit // 8} of {len(readers.text)}", failure
        readers.remove(folder)


def check(readers, folder, damaged, attempt):
    """What is wrong with how the damage is noticed and repaired, or None."""
    shown = readers.search("log", "show", folder)
    if shown.returncode < 0 or shown.returncode == 0 and not shown.stderr:
        return f"log show: exit code {shown.returncode} and no word of the damage"
    refused = readers.search("--resume", folder, "--budget", "evals=1")
    if refused.returncode != 2 or not refused.stderr:
        return f"--resume of a damaged log: exit code {refused.returncode}: {refused.stderr}"
    tree = readers.search("replay-run", folder)
    if tree.returncode not in (1, 2) or not tree.stderr:
        return f"replay-run of a damaged log: exit code {tree.returncode}: {tree.stderr}"
    repaired = readers.search("log", "repair", folder)
    if repaired.returncode != 0 or "nothing is lost" not in repaired.stdout:
        return f"log repair: exit code {repaired.returncode}: {repaired.stdout}{repaired.stderr}"
    with open(os.path.join(folder, "log.jsonl"), "rb") as log:
        if not log.read().startswith(readers.text):
            return "the repaired log is not what it was"
    with open(os.path.join(folder, "log.jsonl.damaged"), "rb") as log:
        if log.read() != damaged:
            return "the damaged log was not kept"
    return readers.read(folder, attempt)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks on the programs: what may not happen is tried until it does, and a table says how often that was.

usage: attack.py --bin FOLDER [--device cpu] [--long] [--seed N] [--list] [ATTACK...]

Each attack is a module beside this file. It has

  SHORT, LONG        attempts of the test, and of `./exh bench attack`
  DEVICES            the kinds of devices that it is for: "cpu", "cuda" (default: cpu)
  run(scene, count)  yields one (name, failure) for each attempt; failure is None, or what went wrong

The scene has the programs (`search`, `bin`), a folder of its own that goes afterwards (`folder`), the device to attack
(`device`, `kind`), and the one source of chance (`random`). An attack without any attempt has failed: it attacked nothing.
Exit code: 0 when there was no failure.
"""
import argparse
import dataclasses
import importlib
import os
import random
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NOT_ATTACKS = {"attack", "attack_test"}
SHOWN = 20  # Failures of one attack that are printed whole.


@dataclasses.dataclass
class Scene:
    """What an attack gets."""
    bin: str                # Folder of the programs.
    folder: str             # An empty folder, removed afterwards.
    random: random.Random
    device: str             # As --device of search takes it.
    is_long: bool

    @property
    def search(self):
        return os.path.join(self.bin, "search")

    @property
    def kind(self):
        return "cpu" if self.device in ("cpu", "host") else "cuda"


@dataclasses.dataclass
class Tally:
    """What came of one attack."""
    attack: str
    attempts: int
    failures: list
    seconds: float

    def failed(self):
        return bool(self.failures) or self.attempts == 0


def attacks():
    """Names of all attacks: modules here that have run()."""
    sys.path.insert(0, HERE)
    names = []
    for file in sorted(os.listdir(HERE)):
        name, extension = os.path.splitext(file)
        if extension == ".py" and name not in NOT_ATTACKS:
            if hasattr(importlib.import_module(name), "run"):
                names.append(name)
    return names


def carry_out(module, scene, count):
    """Attempts one attack. An exception of its own counts as a failure: what was not tried did not hold."""
    begin, attempts, failures = time.monotonic(), 0, []
    try:
        for name, failure in module.run(scene, count):
            attempts += 1
            if failure:
                failures.append(f"{name}: {failure}")
    except Exception as error:  # pylint: disable=broad-except
        attempts += 1
        failures.append(f"the attack itself: {type(error).__name__}: {error}")
    return Tally(module.__name__, attempts, failures, time.monotonic() - begin)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("attacks", nargs="*", metavar="ATTACK")
    parser.add_argument("--bin", required=True, help="folder of the programs")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--long", action="store_true", help="as many attempts as ./exh bench attack makes")
    parser.add_argument("--seed", type=int, default=None, help="of all chance (default: of the clock; printed)")
    parser.add_argument("--list", action="store_true", help="only name the attacks")
    options = parser.parse_args(arguments)

    known = attacks()
    if options.list:
        print("\n".join(known))
        return 0
    for name in options.attacks:
        if name not in known:
            parser.error(f"there is no attack '{name}'; there are {', '.join(known)}")
    seed = options.seed if options.seed is not None else time.time_ns() % 1_000_000
    print(f"seed {seed}, device {options.device}")
    tallies = []
    for name in options.attacks or known:
        module = importlib.import_module(name)
        with tempfile.TemporaryDirectory(prefix="exhaust-attack-") as folder:
            scene = Scene(os.path.abspath(options.bin), folder, random.Random(f"{seed} {name}"), options.device,
                          options.long)
            if scene.kind not in getattr(module, "DEVICES", ("cpu",)):
                if name in options.attacks:
                    parser.error(f"{name} is no attack on a device such as {options.device}")
                continue
            tally = carry_out(module, scene, module.LONG if options.long else module.SHORT)
        tallies.append(tally)
        print(f"{tally.attack:<14} {tally.attempts:>6} attempts {len(tally.failures):>5} failures {tally.seconds:8.1f} s",
              flush=True)
        for failure in tally.failures[:SHOWN]:
            print("  " + failure.replace("\n", "\n    "))
        if len(tally.failures) > SHOWN:
            print(f"  … and {len(tally.failures) - SHOWN} more")
        if tally.attempts == 0:
            print("  nothing was attempted")
    attempts = sum(tally.attempts for tally in tallies)
    failures = sum(len(tally.failures) for tally in tallies)
    print(f"{'all':<14} {attempts:>6} attempts {failures:>5} failures")
    return 1 if not tallies or any(tally.failed() for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

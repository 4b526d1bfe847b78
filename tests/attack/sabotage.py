# SPDX-License-Identifier: MIT
"""Kernels that are wrong in one small thing each: terms left out, inputs or results in half precision, elements that are
not written, results of the run before. The device's evaluator must refuse them all, and pass those that are right."""
import json
import os
import subprocess

SHORT, LONG = 16, 100_000  # So many at most: there are about 500.
DEVICES = ("cpu", "cuda")


def run(scene, count):
    # Sums of 64 terms and one sabotage of sixteen.
    yield from attempts(scene, count, [] if scene.is_long else ["--k", "64"], every=16)


def attempts(scene, count, options, every):
    """Those of the program `sabotage` with these options; of the short ones one of so many, others with each seed."""
    command = [os.path.join(scene.bin, "sabotage"), "--device", scene.device, *options]
    if not scene.is_long:
        command += ["--every", str(every), "--first", str(scene.random.randrange(every))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        done = 0
        for line in process.stdout:
            attempt = json.loads(line)
            done += 1
            failure = None
            if attempt["failed"]:
                wanted = "correct" if attempt["right"] else "refused"
                failure = f"{attempt['verdict']} instead of {wanted}: {attempt['why']}"
            yield f"{attempt['kernel']} {attempt['size']}, {attempt['name']}", failure
            if done == count:
                process.kill()
        error = process.stderr.read().strip()
    if done == 0 or (error and done < count):
        yield "sabotage", error or "it attempted nothing"

# SPDX-License-Identifier: MIT
"""Logs that are cut off at a random byte: every reader works or says what is wrong, and a run goes on."""

from attack_log import Readers

SHORT, LONG = 20, 1000


def run(scene, count):
    readers = Readers(scene)
    for attempt in range(count):
        cut = scene.random.randrange(len(readers.text) + 1)
        folder = readers.folder(f"cut{attempt}", readers.text[:cut])
        failure = readers.read(folder, attempt)
        # A run that was killed goes on; it takes a compiler, so only some of them do.
        if failure is None and attempt % max(1, count // 5) == 0:
            failure = readers.resume(folder, has_header=cut >= readers.header_size - 1)
        yield f"cut at byte {cut} of {len(readers.text)}", failure
        readers.remove(folder)

# SPDX-License-Identifier: MIT
"""The order of the book: the list of docs/README.md, which is the only one. A heading of second level begins a part; an item of
a list whose first words are a link is a page of it:

    ## Start
    * [A first kernel](first-kernel.md): ...

is the page docs/first-kernel.md, with this title at the side of every page of the site."""

import pathlib
import posixpath
import re
import typing

LIST = pathlib.PurePosixPath("docs/README.md")
PART = re.compile(r"## (.+)$")
ITEM = re.compile(r"[*-] \[([^\]]+)\]\(([^)#\s]+)\)")


class Page(typing.NamedTuple):
    title: str
    path: str  # From the root of the tree.


def parts(root):
    """(name, its pages) of each part, in their order."""
    found = []
    for line in (pathlib.Path(root) / LIST).read_text(encoding="utf-8").splitlines():
        if part := PART.match(line):
            found.append((part[1], []))
        elif (item := ITEM.match(line)) and found:
            found[-1][1].append(Page(item[1], posixpath.normpath(posixpath.join(LIST.parent, item[2]))))
    return [(name, pages) for name, pages in found if pages]

# SPDX-License-Identifier: MIT
"""How Sphinx makes the site of the book: `./exh docs`. Pages are the Markdown of the tree where it lies; contents.py says in what order.
What is wrong with a link or an anchor is a warning of Sphinx, and a warning ends the build."""

import pathlib
import sys

from pygments.lexers import TextLexer

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import colours  # noqa: E402
import contents  # noqa: E402

project = "Exhaust"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "**/README.md"]
exclude_patterns = ["build", ".git", "runs", "page/node_modules", "docs/editors/vscode"]
myst_heading_anchors = 6
html_theme = "furo"
html_title = "Exhaust"
html_copy_source = False
html_show_copyright = False
html_permalinks_icon = "#"
html_use_index = False
html_theme_options = {"navigation_with_keys": True}


def docname(path):
    return path.removesuffix(".md")


def with_contents(app, name, source):
    """The first page has the parts of the book for the side of every page."""
    if name != root_doc:
        return
    for part, pages in contents.parts(app.srcdir):
        entries = "\n".join(f"{title} <{'self' if docname(path) == root_doc else '/' + docname(path)}>" for title, path in pages)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {part}\n\n{entries}\n```\n"


def by_links(app, _):
    """What the contents do not name is reached by links from other pages."""
    named = {docname(page.path) for _, pages in contents.parts(app.srcdir) for page in pages}
    for name in app.env.found_docs - named:
        app.env.metadata[name]["orphan"] = True


def folders(app, _, node, words):
    """A link to a folder of the tree is its name: the site has pages and files."""
    target = pathlib.Path(app.srcdir, node["refdoc"]).parent / node["reftarget"]
    return words if target.is_dir() else None


def setup(app):
    for name in ("exh", "kernel", "fun"):
        app.add_lexer(name, colours.lexer_of(HERE.parent / "editors" / f"{name}.tmLanguage.json"))
    for name in ("compute", "csv"):
        app.add_lexer(name, TextLexer)
    app.connect("source-read", with_contents)
    app.connect("env-updated", by_links)
    app.connect("missing-reference", folders)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what comments and pages refer to: each file, folder and page that they name is in the tree,
and so is each heading of a page. Links of pages are left to check_docs.py."""

import re

import tree

FOLDERS = (*tree.FOLDERS, "docs", "cmake", ".ci")
SUFFIX = r"\.(?:h|cc|cu|inc|g4|exh|json|py|sh|md|txt|cmake|svg)"
# Not <set.h> or FOLDER/*/set.h, and not what an option or a program writes.
BEGIN = r"(?<![\w./*{}$<>-])(?<!-o )(?<!--out )(?<!writes )"
# `spec.h`, `dsl/spec.h`, `../dsl/spec.h`
FILE = re.compile(rf"{BEGIN}((?:\.\.?/)*\w[\w.-]*(?:/[\w.-]+)*{SUFFIX})(?![\w(/]|\.\w)")
# `dsl/spec.h`, `tests/dsl`: what begins with a folder of ours
PATH = re.compile(rf"{BEGIN}((?:{'|'.join(map(re.escape, FOLDERS))})(?:/[\w.-]*\w)+)(?!\w|/?[*{{<$(])")
# `docs/design.md, "Rows"`, `docs/design.md, section 2`, also when the line ends before the heading
HEADING = re.compile(r'([\w./-]*\w\.md),?\s(?:\s*(?://+|#) )?(?:"([^"\n]+)"|(?:section )?(\d+(?:\.\d+)*))')

PLACEHOLDER = re.compile(r"(?:NAME|FILE|name|file|[a-zA-Z])\.[\w.]+")
ELSEWHERE = {
    "cuda.h", "cublas_api.h", "cublasLt.h",  # The CUDA toolkit has them,
    "Vocabulary.h",  # ANTLR,
    "cpp.h",  # isl,
    "package.json",  # Visual Studio Code,
    "tuned.h", "tuned.cc", "tuned.cu", "tuned.py",  # libraries of tuned kernels (search/install).
    "fleet.json", "shapes.jsonl", "array.sh",  # A fleet has them (search/tune).
    "counters.json",  # A run has it (search/counters).
    "why.json",  # A run has it (search/why).
    "my.exh", "bench.sh", "server.py",  # Of a user (docs/own.md).
    "stencil.exh", "tiny.exh",  # Made up: what the generator prints is shown for them.
}
HISTORY = "CHANGELOG.md"  # It says what there was.

SLASHES = (".h", ".cc", ".cu", ".inc", ".exh", ".g4")
SLASH_COMMENT = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"'
                           r"|(?<!\w)'(?:\\.|[^'\\\n])*'|(?P<comment>//.*)")
HASHES = (".py", ".sh", ".cmake", "CMakeLists.txt", "packages.txt", "exh", ".ci/run", ".clang-tidy")
HASH_COMMENT = re.compile(r'^\s*(?P<docstring>"""(?:.|\n)*?""")'
                          r'|^(?:[^"\n]|"(?:\\.|[^"\\\n])*")*?(?<!\S)(?P<comment># .*)', re.MULTILINE)
BLOCK = re.compile(r"^```(?:.|\n)*?^```", re.MULTILINE)
LINK_TARGET = re.compile(r"\]\([^)\s]+\)")
QUOTED = re.compile(r'"[^"]*"')


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def quoted(block):
    """A block of a page, each line between quotes."""
    return re.sub(r".+", lambda line: '"' + line[0].replace('"', "'") + '"', block)


def parts_of(name, text):
    """What a file tells people, and its code, each on its lines: a page tells everything, and its
    blocks are code as well. None for a file without comments."""
    if name.endswith(".md"):
        return BLOCK.sub(lambda block: quoted(block[0]), text), "\n".join(BLOCK.findall(text))
    if not name.endswith(SLASHES + HASHES):
        return None
    told = code = ""
    end = 0
    for match in (SLASH_COMMENT if name.endswith(SLASHES) else HASH_COMMENT).finditer(text):
        comment = match.groupdict().get("docstring") or match["comment"]
        if comment:
            between = text[end:match.end() - len(comment)]
            told += blank(between) + comment
            code += between + blank(comment)
            end = match.end()
    return told + blank(text[end:]), code + text[end:]


class Tree:
    """What there is to refer to."""

    def __init__(self, root):
        self.root = root
        top = sorted(path.relative_to(root) for path in root.iterdir() if path.is_file())
        self.files = top + tree.files(root, ("",), FOLDERS)
        self.names = {path.name for path in self.files}

    def find(self, folder, path):
        """Where the path is that a file of the folder says: from the folder on, or one above it."""
        return next((self.root / base / path for base in (folder, *folder.parents)
                     if (self.root / base / path).exists()), None)

    def has(self, folder, name):
        # What exhc writes for a space, wherever that is, is there when the space is.
        for said in (name, re.sub(r".*?([\w-]+\.exh)\..*", r"\1", name)):
            last = said.rpartition("/")[2]
            if PLACEHOLDER.fullmatch(last) or last in ELSEWHERE:
                return True
            if last in self.names if said == last else self.find(folder, said):
                return True
        return False

    def has_heading(self, folder, page, title, number):
        path = self.find(folder, page)
        heading = re.escape(title) + "$" if title else re.escape(number) + "[. ]"
        return path is None or re.search(f"^#+ {heading}", path.read_text().replace("`", ""), re.MULTILINE)


def problems_of(ours, path, told, code):
    """(line, problem) for all that the file refers to and that is not there."""
    for number, line in enumerate(told.splitlines(), 1):
        line = LINK_TARGET.sub("]", line)
        # Between quotes is an example, and so is what the file itself makes or shows; but a path from
        # one of our folders on is always meant.
        names = {name: True for name in PATH.findall(line)}
        for name in FILE.findall(QUOTED.sub('""', line)):
            if not re.search(rf"(?<![\w-]){re.escape(name)}", code):
                names[name] = True
        yield from ((number, f"{name} does not exist") for name in names if not ours.has(path.parent, name))
    for match in HEADING.finditer(told):
        page, title, section = match.groups()
        if not ours.has_heading(path.parent, page, title, section):
            yield told.count("\n", 0, match.start()) + 1, f"{page} has no heading {title or section}"
    if path.suffix == ".md" or path.parts[0] == "tests":
        return
    # Programs print where to read on.
    for number, line in enumerate(code.splitlines(), 1):
        pages = [name for name in PATH.findall(line) if name.endswith(".md")]
        yield from ((number, f"{name} does not exist") for name in pages if not ours.has(path.parent, name))


def check(root):
    ours = Tree(root)
    problems = []
    for path in ours.files:
        parts = None
        if path.name != HISTORY:
            parts = parts_of(path.as_posix(), (root / path).read_text(errors="replace"))
        if parts:
            problems += [f"{path}:{line}: {problem}" for line, problem in sorted(problems_of(ours, path, *parts))]
    return problems


if __name__ == "__main__":
    tree.main(check, __doc__)

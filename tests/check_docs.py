#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the documents claim: every ./exh command in them exists, the programs given with
--program know the options that are shown, links lead to files and headings that exist, and the pages
of messages, which exhc prints, fit a terminal, and what ./exh bench lists is a benchmark and says
in one line what it measures. README.md is short, and docs/README.md, the order of the book, names every
page of docs once. docs/options.md has each command and option that the programs' help has, and no other."""

import argparse
import pathlib
import re
import shlex
import subprocess
import sys

import tree

sys.dont_write_bytecode = True
sys.path.insert(0, str(tree.ROOT / "docs/site"))
import contents  # noqa: E402

COMMAND = re.compile(r"\./exh[ \t]+([^`\n#|&;]*)")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
WORD = re.compile(r"[a-z][a-z0-9-]*$")
PAGES = pathlib.Path("docs/diagnostics")
PAGE_COLUMNS = 100
README_LINES = 120
OPTIONS = pathlib.Path("docs/options.md")
# Of a help: descriptions begin further to the right, and so does what of them is on a line of its own.
HELP_OPTION = re.compile(r"^ {1,12}(?:-\w, *)?(--[\w-]+)", re.MULTILINE)
HELP_COMMANDS = re.compile(r"^subcommands:\n((?: .*\n?|\n)*)", re.MULTILINE | re.IGNORECASE)
HELP_COMMAND = re.compile(r"^ {1,4}(\w[\w-]*)", re.MULTILINE)


def documents(root):
    """Every Markdown file of the tree, relative to the root."""
    found = [path.relative_to(root) for path in root.glob("*.md")]
    return sorted(found) + tree.files(root, (".md",), ("docs", *tree.FOLDERS))


def slug(heading):
    """The anchor that a heading gets."""
    text = re.sub(r"[`*_]", lambda m: "_" if m[0] == "_" else "", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(text):
    return {slug(match) for match in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def link_problem(root, document, target):
    """What is wrong with a link of a document, or None."""
    if re.match(r"[a-z]+:", target):
        return None
    name, _, anchor = target.partition("#")
    path = (root / document).parent / name if name else root / document
    if not path.exists():
        return f"{target} does not exist"
    if anchor and path.suffix == ".md" and anchor not in anchors(path.read_text()):
        return f"{target}: there is no such heading"
    return None


def long_lines(lines):
    """Numbers of the lines that are too long for a page; only a block of output may be."""
    block = None
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            block = line[3:].split() if block is None else None
        elif len(line) > PAGE_COLUMNS and (block is None or block[:1] == ["exh"]):
            yield number


def wrapper_commands(root):
    """The commands that `./exh help` lists, and the other programs of the tree."""
    text = subprocess.run([root / "exh", "help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    commands = re.findall(r"^ +\./exh ([a-z-]+)", text, re.MULTILINE)
    programs = re.findall(r"^Programs: (.*)$", text, re.MULTILINE)
    return commands, " ".join(programs).split()


def known_commands(root):
    """Whatever may stand behind `./exh`."""
    commands, programs = wrapper_commands(root)
    return {*commands, *programs}


class Program:
    """A program of ours, asked for its help once per sub-command."""

    def __init__(self, name, path):
        self.name = name
        self.path = path
        self.helps = {}

    def help(self, subcommands):
        """What `--help` of a sub-command prints; None: it fails."""
        key = tuple(subcommands)
        if key not in self.helps:
            run = subprocess.run([self.path, *subcommands, "--help"], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, check=False)
            self.helps[key] = run.stdout if run.returncode == 0 else None
        return self.helps[key]

    def commands(self, above=()):
        """The words of each command that help lists, the program itself first."""
        yield above
        for listed in HELP_COMMANDS.findall(self.help(above) or ""):
            for name in HELP_COMMAND.findall(listed):
                yield from self.commands((*above, name))

    def problem(self, words):
        """What is wrong with the arguments of a command that is shown, or None."""
        subcommands = []
        for word in words:
            if not WORD.match(word) or len(subcommands) == 2:
                break
            subcommands.append(word)
        shown = " ".join([self.name, *subcommands, "--help"])
        text = self.help(subcommands)
        if text is None:
            return f"'{shown}' fails"
        for option in (word.partition("=")[0] for word in words if word.startswith("--")):
            if not re.search(rf"(?<![\w-]){option}(?![\w-])", text):
                return f"'{option}' is not in '{shown}'"
        return None


class Section:
    """A section of docs/options.md: its heading names the commands that it is of, its tables their options. A section that it links
    to has more of them."""

    def __init__(self, number, heading):
        self.number = number  # Of the line.
        self.is_program = heading.startswith("## ")  # Its options are those of all commands.
        self.commands = re.findall(r"`([^`]+)`", heading)
        self.anchor = slug(heading.lstrip("# "))
        self.links = set()
        self.options = {}  # The line of each.
        self.used = set()


def sections_of(text):
    """The sections of docs/options.md, in their order."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if re.match("##+ ", line):
            found.append(Section(number, line))
        elif found:
            found[-1].links.update(re.findall(r"\]\(#([\w-]+)\)", line))
            cell = line.split(" | ")[0] if line.startswith("| `") else ""
            found[-1].options.update({option: number for option in re.findall(r"`(--[\w-]+)", cell)})
    return found


def option_problems(root, programs):
    """Each command and option that the help of a program has stands in docs/options.md, and what stands there is in a help. Commands of
    ./exh stand there, too. A section of no command is looked at where all programs of the page are given."""
    if not (root / OPTIONS).exists():
        return
    text = (root / OPTIONS).read_text(encoding="utf-8")
    for command in wrapper_commands(root)[0]:
        if not re.search(rf"`\./exh {command}[ `]", text):
            yield f"{OPTIONS}:1: './exh {command}' is missing"
    sections = sections_of(text)
    of_page = {name.split()[0] for section in sections for name in section.commands} - {"./exh"}
    known = set()
    for program in programs.values():
        for words in program.commands():
            name = " ".join([program.name, *words])
            known.add(name)
            own = [section for section in sections if name in section.commands]
            if not own:
                yield f"{OPTIONS}:1: '{name}' has no section"
                continue
            place = next((section for section in own if not section.is_program), own[0]).number
            linked = {link for section in own for link in section.links}
            own += [section for section in sections if not section.commands and section.anchor in linked
                    or section.is_program and section not in own and program.name in section.commands]
            for option in dict.fromkeys(HELP_OPTION.findall(program.help(words) or "")):
                if not any(option in section.options for section in own):
                    yield f"{OPTIONS}:{place}: '{option}' of '{name} --help' is missing"
                for section in own:
                    section.used.add(option)
    for section in sections:
        for name in section.commands:
            if name.split()[0] in programs and name not in known:
                yield f"{OPTIONS}:{section.number}: there is no command '{name}'"
        if not ({name.split()[0] for name in section.commands} or of_page) <= set(programs):
            continue
        for option, number in section.options.items():
            if option not in section.used:
                yield f"{OPTIONS}:{number}: '{option}' is in no help of a command that has this section"


def benchmark_problems(root):
    """`./exh bench` lists the files of tests/bench with the first line of their first comment: each must be one, and the line all
    that it says first."""
    for path in sorted([*root.glob("tests/bench/*.sh"), *root.glob("tests/bench/*.cc")]):
        lines = path.read_text(encoding="utf-8").splitlines()
        mark = "#" if path.suffix == ".sh" else "//"
        texts = [line[len(mark):].strip() if line.startswith(mark) else None for line in lines]
        at = next((i for i, text in enumerate(texts) if text and not text.startswith(("!", "SPDX"))), len(texts))
        following = texts[at + 1] if at + 1 < len(texts) else None
        if following and not following.startswith("SPDX"):
            yield f"{path.relative_to(root)}:{at + 2}: ./exh bench prints one line of what it measures, and this one goes on"
        if path.suffix == ".cc" and not re.search(r"\bmain\(", "\n".join(lines)):
            yield f"{path.relative_to(root)}:1: ./exh bench lists it, and it is no program: helpers lie in tests/bench/parts"


def book_problems(root):
    """README.md is what a stranger reads first. The order of the book has each page of docs, and of a folder of docs its first."""
    lines = len((root / "README.md").read_text().splitlines())
    if lines > README_LINES:
        yield f"README.md:{README_LINES}: has {lines} lines, at most {README_LINES} are allowed"
    if not (root / "docs").is_dir():
        return
    named = [page.path for _, pages in contents.parts(root) for page in pages]
    pages = [path.relative_to(root).as_posix() for path in [*root.glob("docs/*.md"), *root.glob("docs/*/README.md")]]
    for path in sorted(pages):
        if path not in named:
            yield f"{contents.LIST}: {path} has no place in the book: give it a line of a list"
    for path in sorted(set(named)):
        if named.count(path) > 1:
            yield f"{contents.LIST}: {path} stands there {named.count(path)} times"


def check(root, programs):
    problems = [*benchmark_problems(root), *book_problems(root), *option_problems(root, programs)]
    commands = known_commands(root)
    for document in documents(root):
        lines = (root / document).read_text().splitlines()
        if document.parent == PAGES:
            problems += [f"{document}:{number}: has {len(lines[number - 1])} columns, at most "
                         f"{PAGE_COLUMNS} are allowed" for number in long_lines(lines)]
        for number, line in enumerate(lines, 1):
            found = [link_problem(root, document, target) for target in LINK.findall(line)]
            for text in COMMAND.findall(line):
                try:
                    words = shlex.split(text)
                except ValueError:
                    words = text.split()
                if not words or not WORD.match(words[0].rstrip(".,:")):
                    continue
                name = words[0].rstrip(".,:")
                if name not in commands:
                    found.append(f"./exh {name}: there is no such command")
                elif name in programs:
                    found.append(programs[name].problem(words[1:]))
            problems += [f"{document}:{number}: {problem}" for problem in found if problem]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=tree.ROOT, help="the tree to check")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=FILE",
                        help="a program whose options are checked")
    arguments = parser.parse_args()
    programs = {name: Program(name, path) for name, _, path in (p.partition("=") for p in arguments.program)}
    problems = check(arguments.root.resolve(), programs)
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else "no problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Shows that each check of this folder can fail: a small tree is right at first, then one thing is
broken in it and exactly that is reported."""

import pathlib
import shutil
import tempfile
import unittest

import check_docs
import check_format
import check_layers
import check_names
import check_questions
import check_references
import check_results
import check_tours

LICENCE = "// SPDX-License-Identifier: MIT\n"
BOOK = "# Contents\n\n## Inside\n\n* [Contents](README.md)\n"
TREE = {
    "dsl/README.md": "| file | what |\n|---|---|\n| `dsl.h .cc` | the door |\n",
    "dsl/dsl.h": LICENCE + "#pragma once\n",
    "dsl/syntax/parse.cc": LICENCE + '#include "antlr4-runtime.h"\n',
    "generator/README.md": "* [`generator.h`](generator.h): the other door\n",
    "generator/generator.h": LICENCE + '#pragma once\n\n#include "dsl/dsl.h"\n',
    "runtime/README.md": "```\nspace.h   tables\n```\n",
    "runtime/space.h": LICENCE + "#pragma once\n\n#include <vector>\n",
    "runtime/internal/scratch.h": LICENCE + "#pragma once\n",
    "kernels/README.md": "- ir/function.h: the backbone\n\nWrite `NAME.cc` beside it.\n",
    "kernels/ir/function.h": LICENCE + "#pragma once\n",
    "kernels/kernel.cc": LICENCE + '#include "spaces/linalg.exh.h"\n',
    "kernels/spaces/linalg.exh": 'host "c++":\n  header = "kernels/ir/function.h"\nend\n',
    "models/README.md": "Empty.\n",
    "search/README.md": "Nothing public.\n",
    "search/main.cc": LICENCE + '#include "runtime/space.h"\n',
    "tests/any_test.cc": LICENCE + '#include "runtime/internal/scratch.h"\n',
    "README.md": "# A tree\n\nRun `./exh search --kernel matmul`. See [the door](dsl/README.md) and\n"
                 "[above](#a-tree).\n",
    "exh": "#!/bin/sh\necho '  ./exh search ...'\necho 'Programs: worker'\n",
}


class TreeTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="exh checks "))
        self.addCleanup(shutil.rmtree, self.root)
        for name, text in TREE.items():
            self.write(name, text)
        shutil.copy(check_format.tree.ROOT / ".clang-format", self.root)
        (self.root / "exh").chmod(0o755)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def append(self, name, text):
        self.write(name, (self.root / name).read_text() + text)


class Folders(unittest.TestCase):
    def test_all_layers_are_looked_at(self):
        folders = {layer.split("/")[0] for layer in check_layers.MAY_INCLUDE} - {"spaces"}
        self.assertEqual(folders - set(check_layers.tree.FOLDERS), set())


class Layers(TreeTest):
    def expect(self, *problems):
        self.assertEqual(check_layers.check(self.root), list(problems))

    def test_a_tree_that_is_right(self):
        self.expect()

    def test_an_edge_that_is_absent(self):
        self.append("generator/generator.h", '#include "runtime/space.h"\n')
        self.expect("generator/generator.h:5: generator may not include runtime/space.h")

    def test_the_longest_layer_counts(self):
        self.append("kernels/ir/function.h", '#include "runtime/space.h"\n')
        self.expect("kernels/ir/function.h:3: kernels/ir may not include runtime/space.h")

    def test_search_does_not_know_generated_types(self):
        self.append("search/main.cc", '#include "spaces/linalg.exh.h"\n')
        self.expect("search/main.cc:3: search may not include spaces/linalg.exh.h")

    def test_rooms_are_layers(self):
        self.write("search/log/README.md", "Nothing public.\n")
        self.write("search/tree/README.md", "Nothing public.\n")
        self.write("search/log/line.cc", LICENCE)
        self.write("search/tree/tree.cc", LICENCE + '#include "search/log/line.cc"\n')
        self.expect()
        self.append("search/log/line.cc", '#include "search/tree/tree.cc"\n')
        self.expect("search/log/line.cc:2: search/log may not include search/tree/tree.cc")

    def test_rooms_know_nothing_above_them(self):
        self.write("search/log/README.md", "Nothing public.\n")
        self.write("search/log/line.cc", LICENCE + '#include "search/main.cc"\n')
        self.expect("search/log/line.cc:2: search/log may not include search/main.cc, which stands "
                    "above the rooms")

    def test_rooms_stand_on_the_ground(self):
        for room in ("diagnostics", "syntax"):
            self.write(f"dsl/{room}/README.md", "Nothing public.\n")
        self.write("dsl/spec.h", LICENCE)
        self.append("dsl/README.md", "* `spec.h`\n")
        self.write("dsl/diagnostics/code.cc", LICENCE + '#include "dsl/spec.h"\n')
        self.expect()
        self.append("dsl/spec.h", '#include "dsl/diagnostics/code.cc"\n')
        self.append("dsl/diagnostics/code.cc", '#include "dsl/dsl.h"\n')
        self.expect("dsl/diagnostics/code.cc:3: dsl/diagnostics may not include dsl/dsl.h, which stands above the rooms",
                    "dsl/spec.h:2: dsl/spec.h may not include dsl/diagnostics/code.cc: rooms stand on it")

    def test_rooms_of_rooms(self):
        self.write("kernels/devices/README.md", "* `backend.h`: the door\n")
        self.write("kernels/devices/backend.h", LICENCE)
        self.write("kernels/devices/cuda/driver/gpu.cc", LICENCE)
        self.write("kernels/devices/cuda/evaluator.cc", LICENCE + '#include "kernels/devices/backend.h"\n'
                                                                  '#include "kernels/devices/cuda/driver/gpu.cc"\n')
        self.expect()
        self.append("kernels/devices/cuda/driver/gpu.cc", '#include "kernels/devices/backend.h"\n'
                                                          '#include "kernels/devices/cuda/evaluator.cc"\n')
        room = "kernels/devices/cuda/driver"
        self.expect(f"{room}/gpu.cc:2: {room} may not include kernels/devices/backend.h, which stands above the rooms",
                    f"{room}/gpu.cc:3: {room} may not include kernels/devices/cuda/evaluator.cc")

    def test_a_room_that_nobody_knows(self):
        self.write("search/cellar/README.md", "Nothing public.\n")
        self.expect("search/cellar: the room is not in ROOMS of check_layers.py")

    def test_a_full_room(self):
        for number in range(21):
            self.write(f"search/log/part{number}.cc", LICENCE)
        self.expect("search/log: 21 files, the limit is 20")

    def test_nothing_includes_tests(self):
        self.write("tests/support/oracle.h", LICENCE)
        self.append("runtime/space.h", '#include "tests/support/oracle.h"\n')
        self.expect("runtime/space.h:5: runtime may not include tests/support/oracle.h")

    def test_internal_headers(self):
        self.append("search/main.cc", '#include "runtime/internal/scratch.h"\n')
        self.expect("search/main.cc:3: runtime/internal/scratch.h is internal to runtime")

    def test_antlr_stays_in_one_file(self):
        self.append("dsl/dsl.h", '#include "ExhParser.h"\n')
        self.expect("dsl/dsl.h:3: only dsl/syntax/parse.cc and the parse tree may include ANTLR (ExhParser.h)")

    def test_isl_stays_in_its_room(self):
        self.append("kernels/kernel.cc", "#include <isl/set.h>\n")
        self.expect("kernels/kernel.cc:3: only poly/isl may include isl (isl/set.h)")

    def test_includes_start_at_the_root(self):
        self.append("dsl/dsl.h", '#include "spec.h"\n')
        self.expect("dsl/dsl.h:3: spec.h is not a file of ours, written from the root")

    def test_nobody_asks_which_device_it_is(self):
        asks = ("asks which device it is: what differs is the business of a backend "
                "(kernels/devices/backend.h)")
        for question in ('device.language == "metal"', 'device.language != kOther', 'name == "h200"',
                         '"cuda" != name', "is_cuda", "backend.is_gpu()"):
            self.write("search/main.cc", LICENCE + f"bool b = {question};\n")
            self.expect(f"search/main.cc:2: {asks}")
        self.write("kernels/devices/cuda/backend.h", LICENCE)
        self.write("search/main.cc", LICENCE + '#include "kernels/devices/cuda/backend.h"\n')
        self.expect(f"search/main.cc:2: {asks}")
        self.write("search/main.cc", LICENCE + 'auto name = "cuda", language = device.language;\n')
        self.expect()

    def test_headers_that_a_space_names(self):
        self.append("kernels/spaces/linalg.exh", '  header = "kernels/kernel.h"\n')
        self.write("kernels/kernel.h", LICENCE)
        self.expect("kernels/spaces/linalg.exh:4: spaces may not include kernels/kernel.h")


class Names(TreeTest):
    def expect(self, *problems, known=()):
        self.assertEqual(check_names.check(self.root, dict(known)), list(problems))

    def test_a_tree_that_is_right(self):
        self.expect()

    def test_a_name_in_two_rooms(self):
        self.append("runtime/space.h", "namespace exh::runtime {\n\nenum class Step : int { kOne };\n\n}\n")
        self.append("kernels/ir/function.h", "namespace exh {\ntemplate <typename T>\nclass [[nodiscard]] Step final : T {\n};\n}\n")
        self.expect("kernels/ir/function.h:5: Step is also a type of runtime",
                    "runtime/space.h:7: Step is also a type of kernels/ir")

    def test_what_is_not_public(self):
        self.append("runtime/space.h", "struct Step {};\n")
        self.append("runtime/internal/scratch.h", "struct Step {};\n")
        self.append("kernels/ir/function.h", "struct Step;\nstruct Place { struct Step {}; };  // struct Step {\n"
                    'inline struct Place Step() { return {}; }\ninline const char* Text() { return "struct Step {"; }\n')
        self.expect()

    def test_forms_of_one_thing(self):
        for name in "dsl/dsl.h", "runtime/space.h":
            self.append(name, "struct Step {};\n")
        self.expect()
        self.append("kernels/ir/function.h", "struct Step {};\n")
        self.assertEqual(len(check_names.check(self.root, {})), 3)

    def test_known_ones(self):
        for name in "runtime/space.h", "kernels/ir/function.h":
            self.append(name, "struct Step {};\n")
        rooms = ("runtime", "kernels/ir")
        self.expect(known={"Step": rooms})
        self.expect("tests/check_names.py: Step is not shared by models any more: take that out of KNOWN",
                    known={"Step": (*rooms, "models")})
        self.expect("tests/check_names.py: Row is not shared by runtime, kernels/ir any more: take that out of KNOWN",
                    known={"Step": rooms, "Row": rooms})


class Questions(TreeTest):
    HEADER = ("class Target {{\n public:\n  bool paper = false;\n{}  // No space asks these.\n  bool why() const;\n\n"
              " private:\n  bool helps() const;\n}};\n")
    DIMS = "  // dims.exh: sizes.\n  /// Is it?\n  bool is_own(int a,\n              int b) const;\n  bool fits() const;\n"
    RING = "  // ring.exh: slots.\n  int slots() const { return count(1); }\n"

    def setUp(self):
        super().setUp()
        self.write("kernels/spaces/linalg.exh", 'include "dims.exh"\ninclude "order.exh"\ninclude "ring.exh"\n')
        self.write("kernels/spaces/dims.exh", 'extern predicate is_own($a in A, $b in B)\n  "$fun.fits()"  // $fun.why()\n')
        self.write("kernels/spaces/ring.exh", '  "$fun.slots()" "$fun.fits()"\n')
        self.write("kernels/ir/target.h", self.HEADER.format(self.DIMS + self.RING))
        self.write("kernels/ir/target/dims.cc", "bool Target::fits() const {\n  return Target::slots() > 1;\n}\n")

    def expect(self, *problems):
        self.assertEqual(check_questions.check(self.root), list(problems))

    def test_a_tree_that_is_right(self):
        self.expect()

    def test_a_question_of_another_file(self):
        self.write("kernels/spaces/ring.exh", '"$fun.fits()"\n')
        self.write("kernels/spaces/order.exh", '"$fun.slots()"\n')
        self.expect("kernels/ir/target.h:10: slots is asked by order.exh")

    def test_questions_that_nobody_asks_and_one_that_is_asked(self):
        self.write("kernels/spaces/dims.exh", '"$fun.fits()" "$fun.why()"\n')
        self.expect("kernels/ir/target.h:6: is_own is asked by no space", "kernels/ir/target.h:12: why is asked by dims.exh")

    def test_another_order(self):
        self.write("kernels/ir/target.h", self.HEADER.format(self.RING + self.DIMS))
        self.expect("kernels/ir/target.h: the files do not come in the order of linalg.exh")

    def test_an_answer_in_another_file(self):
        self.write("kernels/ir/target/ring.cc", "bool Target::fits() const {}\nbool Target::helps() const {}\n")
        self.expect("kernels/ir/target/ring.cc: fits belongs to dims.cc")


class Tours(TreeTest):
    def expect(self, *problems):
        self.assertEqual(check_tours.check(self.root), list(problems))

    def test_a_tree_that_is_right(self):
        self.expect()

    def test_a_header_that_is_not_listed(self):
        self.write("runtime/state.h", LICENCE)
        self.expect("runtime/README.md: does not list state.h")

    def test_a_module_of_the_page_that_is_not_listed(self):
        self.write("page/README.md", "| `src/main.js` | the page |\n")
        self.write("page/src/main.js", LICENCE)
        self.write("page/views/run.js", LICENCE)
        self.expect("page/README.md: does not list views/run.js")

    def test_a_header_in_a_subfolder_is_listed_with_its_folder(self):
        self.write("kernels/cpu/function.h", LICENCE)
        self.expect("kernels/README.md: does not list cpu/function.h")

    def test_a_listed_file_that_is_gone(self):
        (self.root / "dsl/dsl.h").unlink()
        self.expect("dsl/README.md:3: dsl.h does not exist")

    def test_a_folder_without_a_tour(self):
        (self.root / "models/README.md").unlink()
        self.expect("models: has no README.md")


class References(TreeTest):
    def expect(self, *problems):
        self.assertEqual(check_references.check(self.root), list(problems))

    def test_a_tree_that_is_right(self):
        self.expect()

    def test_names_of_files_that_are_there(self):
        self.append("runtime/internal/scratch.h",
                    "// As in space.h, runtime/space.h:3, internal/scratch.h and ../space.h;\n"
                    "// <memory.h>, FOLDER/*/any.h, `.maps.h`, NAME.cc; see kernels/ir and dsl/README.md.\n"
                    "// linalg.exh.h, spaces/linalg.exh.h: what is made of a space. cuda.h is not ours.\n")
        self.expect()

    def test_a_name_that_no_file_has(self):
        self.append("runtime/space.h", "\nint one;  ///< See rounds.h, (waits.cc).\n")
        self.append("README.md", "The format is in `log.md`.\n")
        self.expect("README.md:5: log.md does not exist", "runtime/space.h:6: rounds.h does not exist",
                    "runtime/space.h:6: waits.cc does not exist")

    def test_a_path_to_nothing(self):
        self.append("search/main.cc", "// runtime/state.h, internal/scratch.h; tests/runtime/any tests it.\n")
        self.expect("search/main.cc:3: internal/scratch.h does not exist",
                    "search/main.cc:3: runtime/state.h does not exist",
                    "search/main.cc:3: tests/runtime/any does not exist")

    def test_a_page_that_is_not_in_the_tree(self):
        self.append("dsl/dsl.h", "// (engine.md 6.5)\n")
        self.write("tests/any.sh", "#!/bin/sh\necho '# a.md'  # docs/gone.md says why.\n")
        self.write("tests/any.py", '"""Shows what\ngone.md says."""\n')
        self.expect("dsl/dsl.h:3: engine.md does not exist", "tests/any.py:2: gone.md does not exist",
                    "tests/any.sh:2: docs/gone.md does not exist")

    def test_a_page_that_a_program_names(self):
        self.append("search/main.cc", 'const char* help = "docs/log.md has more";\n')
        self.append("tests/any_test.cc", 'const char* help = "docs/any.md has more";\n')
        self.expect("search/main.cc:3: docs/log.md does not exist")

    def test_a_heading_that_does_not_exist(self):
        self.write("docs/design.md", "# Design\n\n## 2. Layers\n\n### `let`\n")
        self.append("dsl/dsl.h", '// docs/design.md, "Design", docs/design.md 2 and docs/design.md,\n// "let".\n'
                    '// docs/design.md, "Rows", docs/design.md 6.5 and docs/design.md,\n// "set".\n')
        self.expect(*(f"dsl/dsl.h:5: docs/design.md has no heading {name}" for name in ("6.5", "Rows", "set")))

    def test_examples(self):
        self.append("search/main.cc", '// Reads "mine.txt", or writes -o out.json.\n'
                    'auto text = Read("given.json");  // Not given.json itself.\n')
        self.write("tests/any_test.py", 'write("tree.txt", "a # b.txt")  # tree.txt is made.\n')
        self.append("dsl/README.md", "`shop.exh`:\n```\ncheck shop.exh\n```\n")
        self.expect()

    def test_an_example_with_a_path_of_ours(self):
        self.append("search/main.cc", '// As in "runtime/state.h".\n')
        self.append("dsl/README.md", "```\npython3 tests/any.py shop.exh\n```\n")
        self.expect("dsl/README.md:5: tests/any.py does not exist",
                    "search/main.cc:3: runtime/state.h does not exist")

    def test_links_are_not_its_matter(self):
        self.append("README.md", "[gone](dsl/gone.h)\n")
        self.expect()

    def test_the_changelog_says_what_there_was(self):
        self.write("CHANGELOG.md", "* `runtime/rounds.h` became `waits.cc`.\n")
        self.expect()


@unittest.skipIf(shutil.which("clang-format") is None, "clang-format is not installed")
class Format(TreeTest):
    def expect(self, *problems):
        self.assertEqual(check_format.check(self.root), list(problems))

    def test_a_tree_that_is_right(self):
        self.expect()

    def test_what_clang_format_would_change(self):
        self.append("search/main.cc", "\nint  main() { }\n")
        self.expect("search/main.cc:4: is not formatted: ./exh format")

    def test_a_file_without_a_licence(self):
        self.write("runtime/state.h", "#pragma once\n")
        self.expect("runtime/state.h:1: expected '// SPDX-License-Identifier: MIT'")

    def test_a_file_that_is_too_long(self):
        self.write("runtime/state.h", LICENCE + "// A line.\n" * 800)
        self.expect("runtime/state.h:800: has 801 lines, at most 800 are allowed")


class Docs(TreeTest):
    def expect(self, *problems):
        # As `search` of the real tree: one option, one sub-command, anything else fails.
        self.write("search_program", '#!/bin/sh\ncase "$*" in --help) echo "--kernel TEXT";; '
                                     '"log --help") echo "--raw";; *) exit 2;; esac\n')
        (self.root / "search_program").chmod(0o755)
        programs = {"search": check_docs.Program("search", self.root / "search_program")}
        self.assertEqual(check_docs.check(self.root, programs), list(problems))

    def test_a_tree_that_is_right(self):
        self.append("README.md", "Or `./exh search log --raw`, `./exh worker`, `./exh ...`.\n")
        self.expect()

    def test_a_benchmark_that_is_none_and_one_that_goes_on(self):
        self.write("tests/bench/right.sh", "#!/bin/sh\n# How fast.\n# SPDX-License-Identifier: MIT\n# More.\n")
        self.write("tests/bench/long.cc", LICENCE + "//\n// How fast it is\n// and how slow.\nint main() {}\n")
        self.write("tests/bench/helper.cc", LICENCE + "//\n// Helps.\n\nint Help() { return 1; }\n")
        self.expect("tests/bench/helper.cc:1: ./exh bench lists it, and it is no program: helpers lie in tests/bench/parts",
                    "tests/bench/long.cc:4: ./exh bench prints one line of what it measures, and this one goes on")

    def test_a_command_that_does_not_exist(self):
        self.append("README.md", "And `./exh dance`.\n")
        self.expect("README.md:5: ./exh dance: there is no such command")

    def test_an_option_that_does_not_exist(self):
        self.append("README.md", "    ./exh search --kernels matmul\n")
        self.expect("README.md:5: '--kernels' is not in 'search --help'")

    def test_a_subcommand_that_does_not_exist(self):
        self.append("README.md", "    ./exh search logs\n")
        self.expect("README.md:5: 'search logs --help' fails")

    def test_a_link_to_nothing(self):
        self.write("docs/README.md", BOOK + "* [Design](design.md)\n")
        self.write("docs/design.md", "[gone](../dsl/gone.h)\n")
        self.expect("docs/design.md:1: ../dsl/gone.h does not exist")

    def test_a_readme_that_is_too_long(self):
        self.append("README.md", "A line.\n" * 120)
        self.expect("README.md:120: has 124 lines, at most 120 are allowed")

    def test_the_order_of_the_book(self):
        self.write("docs/README.md", BOOK + "* [Design](design.md): how\n* see [more](more.md)\n\n## Again\n\n- [Design](design.md)\n")
        for page in ("design.md", "more.md", "results/README.md", "results/gpu.md"):
            self.write(f"docs/{page}", "# A page\n")
        self.expect("docs/README.md: docs/more.md has no place in the book: give it a line of a list",
                    "docs/README.md: docs/results/README.md has no place in the book: give it a line of a list",
                    "docs/README.md: docs/design.md stands there 2 times")

    def expect_of_options(self, page, *problems):
        # `search` of one option, with a command of two and one below it of none. Descriptions are no options, wherever they go on.
        self.write("docs/README.md", BOOK + "* [All options](options.md)\n")
        self.write("docs/options.md", page)
        helps = {"--help": "Usage: it\n\nOptions:\n  -h,--help    says it\n  --kernel TEXT             of --x\n" + 30 * " " + "--y\n\n"
                           "Subcommands:\n  log                       reads\n" + 30 * " " + "runs\n",
                 "log --help": "Options:\n  -h,--help\n  -o,--out FILE\n  --seed UINT\n\nSubcommands:\n  show\n",
                 "log show --help": "Options:\n  -h,--help\n"}
        cases = "".join(f"'{words}') cat <<'END'\n{text}END\n;;\n" for words, text in helps.items())
        self.write("search_program", f'#!/bin/sh\ncase "$*" in\n{cases}*) exit 2;;\nesac\n')
        (self.root / "search_program").chmod(0o755)
        programs = {"search": check_docs.Program("search", self.root / "search_program")}
        self.assertEqual(check_docs.check(self.root, programs), list(problems))

    OPTIONS = ("# Options\n\n## `search`\n\n| option | what |\n|---|---|\n| `-h`, `--help` | text |\n\n"
               "### `search` alone\n\n| `--kernel NAME` | not `--seed` |\n\n"
               "### `search log`\n\nMore: [seeds](#seeds).\n\n| `-o`, `--out FILE` | where |\n\n"
               "### `search log show`\n\nNone.\n\n## Seeds\n\n| `--seed N` | one |\n\n## `./exh`\n\n| `./exh search` | runs it |\n")

    def test_a_page_of_options_that_is_right(self):
        self.expect_of_options(self.OPTIONS)

    def test_options_that_no_page_has(self):
        self.expect_of_options(self.OPTIONS.replace("--kernel", "--kernels").replace(" [seeds](#seeds)", " seeds"),
                               "docs/options.md:9: '--kernel' of 'search --help' is missing",
                               "docs/options.md:13: '--seed' of 'search log --help' is missing",
                               "docs/options.md:11: '--kernels' is in no help of a command that has this section",
                               "docs/options.md:25: '--seed' is in no help of a command that has this section")

    def test_commands_that_no_page_has(self):
        self.expect_of_options(self.OPTIONS.replace("log show", "log shows").replace("./exh search", "./exh worker"),
                               "docs/options.md:1: './exh search' is missing",
                               "docs/options.md:1: 'search log show' has no section",
                               "docs/options.md:19: there is no command 'search log shows'")

    def test_a_picture_that_does_not_exist(self):
        self.append("README.md", "![gone](docs/gone.svg)\n")
        self.expect("README.md:5: docs/gone.svg does not exist")

    def test_a_heading_that_does_not_exist(self):
        self.append("README.md", "[b](#a-bush)\n")
        self.expect("README.md:5: #a-bush: there is no such heading")

    def test_a_page_of_a_message_that_is_too_wide(self):
        wide = "word " * 20 + "\n"  # 100 columns.
        self.write("docs/README.md", BOOK + "* [Design](design.md)\n")
        self.write("docs/design.md", "A" + wide)
        self.write("docs/diagnostics/E0101.md", wide + "A" + wide + "```\nA" + wide +
                   "```\n```exh alone\nA" + wide + "```\nA" + wide)
        self.expect(*(f"docs/diagnostics/E0101.md:{number}: has 101 columns, at most 100 are allowed"
                      for number in (2, 7, 9)))


RECORD = ('{"table": "norms", "subject": "softmax", "command": "./exh bench rows --budget 8s", "commit": "0123abcd", '
          '"date": "2026-11-30", "device": "one GPU", "ours": {"value": 25.80, "unit": "us"}, "ratios": {"torch": {"value": 1.09}}}')
ROWS = ('{"kind": "rows", "title": "rows", "place": 1, "page": "rows.md", "rank": {"by": "ratio", "better": "more", "tables": ["norms"]}, '
        '"tables": [{"name": "norms", "columns": [["kernel", "what"], ["ours", "ours"], ["torch = 1", "ratios.torch"]]}], '
        '"records": [RECORDS]}')


class Results(TreeTest):
    """A tree with one kind, one page, and README's table."""

    def setUp(self):
        super().setUp()
        self.write("exh", "#!/bin/sh\necho '  ./exh search ...'\necho '  ./exh bench NAME'\n")
        (self.root / "exh").chmod(0o755)
        self.write("tests/bench/rows.sh", "#!/bin/sh\n# Rows: [--budget 8s]\n")
        self.write("docs/results.schema.json", (check_results.tree.ROOT / "docs/results.schema.json").read_text())
        self.records(RECORD)
        self.write("docs/results/rows.md", "# Rows\n\n<!-- results: begin rows/norms -->\n`./exh bench rows --budget 8s`; one GPU; "
                   "30 November 2026; commit `0123abcd`.\n\n| kernel | ours | torch = 1 |\n|---|---|---|\n"
                   "| softmax | 25.80 us | 1.09 |\n<!-- results: end -->\n")
        self.append("README.md", "\n<!-- results: begin -->\n| kind | rows | the best | the worst | machine |\n|---|---|---|---|---|\n"
                    "| rows | 1 | softmax: 1.09 x torch; 25.80 us | softmax: 1.09 x torch; 25.80 us | one GPU |\n"
                    "<!-- results: end -->\n")

    def records(self, *records):
        self.write("docs/results/rows.json", ROWS.replace("RECORDS", ", ".join(records)))

    def replace(self, name, old, new):
        text = (self.root / name).read_text()
        self.assertIn(old, text)
        self.write(name, text.replace(old, new))

    def expect(self, *problems):
        self.assertEqual(check_results.check(self.root), list(problems))

    def test_a_tree_that_is_right(self):
        self.expect()

    def test_a_figure_of_a_page_that_is_in_no_record(self):
        self.replace("docs/results/rows.md", "25.80", "25.8")
        self.expect("docs/results/rows.md:8: is not as the records say: ./exh results would write '| softmax | 25.80 us | 1.09 |'")

    def test_a_figure_of_the_readme_that_is_in_no_record(self):
        self.replace("README.md", "1 | softmax: 1.09", "1 | softmax: 1.90")
        self.expect("README.md:9: is not as the records say: ./exh results would write "
                    "'| rows | 1 | softmax: 1.09 x torch; 25.80 us | softmax: 1.09 x torch; 25.80 us |'")

    def test_a_record_that_no_page_has_yet(self):
        self.records(RECORD, RECORD.replace("softmax", "layer_norm"))
        self.expect("README.md:9: is not as the records say: ./exh results would write "
                    "'| rows | 2 | softmax: 1.09 x torch; 25.80 us | layer_norm: 1.09 x torch; 25.80 u'",
                    "docs/results/rows.md:9: is not as the records say: ./exh results would write '| layer_norm | 25.80 us | 1.09 |'")

    def test_a_picture_that_is_older_than_the_records(self):
        self.write("docs/results.svg", "<svg></svg>\n")
        self.expect("docs/results.svg: is not as the records say: ./exh results draws it")

    def test_a_readme_without_the_table(self):
        self.write("README.md", "# A tree\n")
        self.expect("README.md: has no table of results")

    def test_a_table_that_no_page_shows(self):
        self.write("docs/results/rows.md", "# Rows\n")
        self.expect("docs/results/rows.json: no page shows the table 'norms'")

    def test_a_table_that_there_is_none_of(self):
        self.append("docs/results/rows.md", "\n<!-- results: begin rows/nroms -->\n<!-- results: end -->\n")
        self.expect("docs/results/rows.md: docs/results/rows.json has no table 'nroms'")

    def test_a_table_by_hand(self):
        self.append("docs/results/rows.md", "\n| kernel | ours |\n|---|---|\n| softmax | 2.5 us |\n| 4 x 4 | 12 |\n")
        self.expect("docs/results/rows.md:13: a figure in a table by hand: docs/results/*.json are for it")

    def test_a_benchmark_that_does_not_exist(self):
        self.records(RECORD.replace("bench rows", "bench columns"))
        self.expect("docs/results/rows.json: norms: softmax: ./exh bench columns: there is no such benchmark")

    def test_an_option_that_a_benchmark_does_not_have(self):
        self.records(RECORD.replace("--budget", "--budgte"))
        self.expect("docs/results/rows.json: norms: softmax: ./exh bench rows has no option --budgte")

    def test_commands_that_do_not_exist(self):
        for command, problem in (("./exh dance", "./exh dance: there is no such command"),
                                 ("python3 tests/gone.py", "tests/gone.py does not exist"),
                                 ("./exh search replay kernels/gone.txt", "kernels/gone.txt does not exist"),
                                 ("make", "its command is no ./exh command")):
            with self.subTest(command):
                self.records(RECORD.replace("./exh bench rows --budget 8s", command))
                self.expect("docs/results/rows.json: norms: softmax: " + problem)

    def test_a_record_that_the_schema_does_not_know(self):
        self.records(RECORD.replace('"device"', '"devise"'))
        self.expect("docs/results/rows.json: $.records[0]: 'devise' is unknown", "docs/results/rows.json: $.records[0]: has no 'device'")
        self.records(RECORD.replace("25.80", '"25.80"'))
        self.expect("docs/results/rows.json: $.records[0].ours: 0 of 3 alternatives are valid")

    def test_two_records_of_the_same(self):
        self.records(RECORD, RECORD.replace("1.09", "1.10"))
        self.expect("docs/results/rows.json: norms: softmax: two records are of the same")

    def test_a_mark_of_a_figure_that_is_not_there(self):
        self.records(RECORD[:-1] + ', "must": {"text": "1.2", "met": false, "of": "ratios.CUB"}}')
        self.expect("docs/results/rows.json: norms: softmax: has no figure ratios.CUB, which must reach a mark")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/editors: the extension for Visual Studio Code as a file, and exhc lsp in a real editor, Neovim, where it is
installed.

usage: editors_test.py EXHC [unittest arguments]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
import xml.etree.ElementTree
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EDITORS = ROOT / "docs/editors"
EXHC = ""


def languages():
    """(id, suffix) of all that the server knows."""
    texts = [path.read_text() for path in sorted((ROOT / "lsp/languages").glob("*_language.cc"))]
    return {(re.search(r'id\(\) const override { return "(.*)"', text).group(1),
             re.search(r'suffix\(\) const override { return "(.*)"', text).group(1)) for text in texts}


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="exh editors "))
        self.addCleanup(shutil.rmtree, self.folder)


class Extension(WithFolder):
    def build(self, name="a.vsix"):
        """With a folder that stands for what npm installs."""
        client = self.folder / "node_modules/vscode-languageclient"
        client.mkdir(parents=True, exist_ok=True)
        (client / "node.js").write_text("exports.LanguageClient = class {};\n")
        (client / "notes.md").write_text("not needed\n")
        out = self.folder / name
        done = subprocess.run([sys.executable, "-B", EDITORS / "vscode/build_vsix.py", "-o", out,
                               "--modules", self.folder / "node_modules"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def test_what_is_in_it(self):
        with zipfile.ZipFile(self.build()) as archive:
            names = set(archive.namelist())
            package = json.loads(archive.read("extension/package.json"))
            manifest = xml.etree.ElementTree.fromstring(archive.read("extension.vsixmanifest"))
            xml.etree.ElementTree.fromstring(archive.read("[Content_Types].xml"))
            contributes = package["contributes"]
            for grammar in contributes["grammars"]:
                name = grammar["path"].removeprefix("./")
                text = archive.read("extension/" + name)
                self.assertEqual(text, (EDITORS / name).read_bytes(), "it is the grammar of the tree")
                self.assertEqual(json.loads(text)["scopeName"], grammar["scopeName"])
        for path in [package["main"], *(each["configuration"] for each in contributes["languages"])]:
            self.assertIn("extension/" + path.removeprefix("./"), names)
        self.assertIn("extension/node_modules/vscode-languageclient/node.js", names)
        self.assertNotIn("extension/node_modules/vscode-languageclient/notes.md", names)
        self.assertEqual({(each["id"], *each["extensions"]) for each in contributes["languages"]}, languages())
        self.assertEqual({each["language"] for each in contributes["grammars"]}, {name for name, _ in languages()})
        self.assertEqual(set(package["activationEvents"]), {"onLanguage:" + name for name, _ in languages()})
        space = {"v": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
        identity = manifest.find("v:Metadata/v:Identity", space)
        self.assertEqual((identity.get("Id"), identity.get("Version")), (package["name"], package["version"]))

    def test_it_has_the_version_of_the_tree_and_the_client_that_is_locked(self):
        package = json.loads((EDITORS / "vscode/package.json").read_text())
        version = re.search(r"project\(exhaust VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(package["version"], version)
        lock = json.loads((EDITORS / "vscode/package-lock.json").read_text())
        self.assertEqual(lock["packages"][""]["dependencies"], package["dependencies"])
        for name, wanted in package["dependencies"].items():
            self.assertEqual(lock["packages"]["node_modules/" + name]["version"], wanted)

    def test_the_same_files_give_the_same_bytes(self):
        self.assertEqual(self.build("a.vsix").read_bytes(), self.build("b.vsix").read_bytes())

    def test_a_folder_without_the_client(self):
        done = subprocess.run([sys.executable, "-B", EDITORS / "vscode/build_vsix.py", "--modules", self.folder],
                              capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no vscode-languageclient", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    @unittest.skipIf(shutil.which("node") is None, "there is no node")
    def test_it_starts_the_command_of_its_setting(self):
        """With an editor and a client that write down what they are asked for."""
        modules = self.folder / "node_modules"
        (modules / "vscode").mkdir(parents=True)
        (modules / "vscode/index.js").write_text(
            "exports.workspace = { getConfiguration: () => ({ get: () => ['a b/exhc', 'lsp'] }),\n"
            "  createFileSystemWatcher: (glob) => glob };\n"
            "exports.window = { showErrorMessage: (text) => console.log(text) };\n")
        (modules / "vscode-languageclient").mkdir()
        (modules / "vscode-languageclient/node.js").write_text(
            "exports.LanguageClient = class { constructor(...all) { console.log(JSON.stringify(all)); }\n"
            "  start() { throw new Error('no such file'); } };\n")
        shutil.copy(EDITORS / "vscode/extension.js", self.folder)
        done = subprocess.run(["node", "-e", "require('./extension.js').activate()"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = done.stdout.splitlines()
        _, _, command, options = json.loads(first)
        self.assertEqual(command, {"command": "a b/exhc", "args": ["lsp"]})
        self.assertEqual({each["language"] for each in options["documentSelector"]}, {name for name, _ in languages()})
        self.assertIn("'a b/exhc lsp' does not start (no such file)", second)


class Helix(unittest.TestCase):
    def test_its_settings(self):
        settings = tomllib.loads((EDITORS / "helix.toml").read_text())
        self.assertEqual({(each["name"], "." + each["file-types"][0]) for each in settings["language"]}, languages())
        server = settings["language-server"]["exhaust"]
        self.assertEqual([server["command"], *server["args"]], ["exhc", "lsp"])
        self.assertEqual({name for each in settings["language"] for name in each["language-servers"]}, {"exhaust"})


SCRIPT = """
vim.g.exhaust_exhc = { EXHC, 'lsp' }
dofile(SETTINGS)

local function wait_for(what, done)
  if not vim.wait(30000, done, 20) then error('never: ' .. what) end
end

local function ask(method, line, character, more)
  local params = vim.tbl_extend('force', {
    textDocument = vim.lsp.util.make_text_document_params(),
    position = { line = line, character = character },
  }, more or {})
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/' .. method, params, 30000)
  for _, answer in pairs(answers) do return answer.result end
end

local told = {}
vim.cmd('edit ' .. SPACE)
told.filetype = vim.bo.filetype
wait_for('a mistake', function() return #vim.diagnostic.get(0) > 0 end)
local wrong = vim.diagnostic.get(0)[1]
told.diagnostic = { wrong.lnum, wrong.col, wrong.message }
vim.api.nvim_buf_set_lines(0, 2, 3, false, { 'require forall $a < $b in Rows: column($a) != column($b) // 😀' })
wait_for('no mistake', function() return #vim.diagnostic.get(0) == 0 end)
told.hover = ask('hover', 2, 33).contents.value
told.definition = ask('definition', 2, 33).range.start.line
vim.lsp.util.apply_workspace_edit(ask('rename', 2, 33, { newName = 'place' }), 'utf-16')
told.renamed = vim.api.nvim_buf_get_lines(0, 0, -1, false)
vim.cmd('edit ' .. KERNEL)
told.kernel = vim.bo.filetype
told.outline = {}
for _, symbol in ipairs(ask('documentSymbol', 0, 0)) do table.insert(told.outline, symbol.name) end
vim.fn.writefile({ vim.json and vim.json.encode(told) or vim.fn.json_encode(told) }, OUT)
"""


@unittest.skipIf(shutil.which("nvim") is None, "Neovim is not installed")
class Neovim(WithFolder):
    def test_a_space_and_a_kernel(self):
        space, kernel, out = (self.folder / name for name in ("a.exh", "a.kernel", "told.json"))
        space.write_text("set Rows = 1 .. 4\nchoice integer column($r in Rows): 1 .. 4 end\n"
                         "require forall $a < $b in Rows: column($a) != colum($b)\n")
        shutil.copy(ROOT / "examples/kernels/dense.kernel", kernel)
        names = {"EXHC": EXHC, "SETTINGS": EDITORS / "exhaust.lua", "SPACE": str(space).replace(" ", "\\ "),
                 "KERNEL": str(kernel).replace(" ", "\\ "), "OUT": out}
        script = self.folder / "script.lua"
        script.write_text("".join(f"local {name} = {json.dumps(str(value))}\n" for name, value in names.items()) + SCRIPT)
        done = subprocess.run(["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n",
                               "-c", f"lua local ok, why = pcall(dofile, {json.dumps(str(script))}); "
                                     "if not ok then io.stderr:write(why) end", "-c", "qall!"],
                              capture_output=True, text=True, timeout=180, check=False,
                              env={**os.environ, "XDG_STATE_HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder)})
        self.assertTrue(out.is_file(), done.stderr)
        told = json.loads(out.read_text())
        self.assertEqual((told["filetype"], told["kernel"]), ("exh", "exhaust-kernel"))
        self.assertEqual(told["diagnostic"], [2, 46, "unknown choice 'colum'; did you mean 'column'?"])
        self.assertIn("4 decisions of 4 values each", told["hover"])
        self.assertEqual(told["definition"], 1)
        self.assertEqual(told["renamed"], ["set Rows = 1 .. 4", "choice integer place($r in Rows): 1 .. 4 end",
                                           "require forall $a < $b in Rows: place($a) != place($b) // 😀"])
        self.assertEqual(told["outline"][:2], ["dense", "rows"])


if __name__ == "__main__":
    EXHC = os.path.abspath(sys.argv.pop(1))
    unittest.main()

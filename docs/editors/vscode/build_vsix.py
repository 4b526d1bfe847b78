#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the extension for Visual Studio Code, one file that it installs.

usage: build_vsix.py [-o exhaust.vsix] [--modules NODE_MODULES]

The language client comes from npm, as package-lock.json names it; --modules takes a folder that
has it already. The same files give the same bytes.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from xml.sax.saxutils import quoteattr

HERE = pathlib.Path(__file__).resolve().parent
GRAMMARS = sorted(HERE.parent.glob("*.tmLanguage.json"))
OWN = [HERE / name for name in ("package.json", "extension.js", "language-configuration.json")]

CONTENT_TYPES = """\
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
  <Default Extension=".md" ContentType="text/markdown"/>
  <Default Extension=".txt" ContentType="text/plain"/>
</Types>
"""
MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={name} Version={version} Publisher={publisher}/>
    <DisplayName>{display}</DisplayName>
    <Description xml:space="preserve">{description}</Description>
    <Categories>{categories}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/>
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def manifest(package):
    return MANIFEST.format(name=quoteattr(package["name"]), version=quoteattr(package["version"]),
                           publisher=quoteattr(package["publisher"]), display=package["displayName"],
                           description=package["description"], categories=",".join(package["categories"]),
                           engine=quoteattr(package["engines"]["vscode"]))


def install(folder):
    """node_modules of a copy of package.json: what npm writes stays out of the tree."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("build_vsix.py: there is no npm (Debian: npm); or name a folder with --modules")
    done = subprocess.run([npm, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"build_vsix.py: npm could not install it:\n{done.stdout}")
    return pathlib.Path(folder) / "node_modules"


def is_used(path):
    """Of what npm installs: code, what it reads, and the licenses."""
    return path.suffix in (".js", ".json", ".cjs") or path.stem.upper().startswith(("LICENSE", "LICENCE"))


def write(out, modules):
    package = json.loads((HERE / "package.json").read_text())
    files = {f"extension/{path.name}": path.read_bytes() for path in [*OWN, *GRAMMARS]}
    files["[Content_Types].xml"] = CONTENT_TYPES.encode()
    files["extension.vsixmanifest"] = manifest(package).encode()
    for path in modules.rglob("*"):
        name = path.relative_to(modules)
        if path.is_file() and is_used(path) and name.parts[0] != ".bin":
            files[f"extension/node_modules/{name.as_posix()}"] = path.read_bytes()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return len(files)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--out", default="exhaust.vsix")
    parser.add_argument("--modules", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.modules is not None and not (arguments.modules / "vscode-languageclient").is_dir():
        sys.exit(f"build_vsix.py: '{arguments.modules}' has no vscode-languageclient")
    with tempfile.TemporaryDirectory() as folder:
        count = write(arguments.out, arguments.modules or install(folder))
    print(f"{arguments.out}: {count} files; code --install-extension {arguments.out}")


if __name__ == "__main__":
    main()

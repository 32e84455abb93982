"""What a release promises: the functions that the library exports are those of the committed list
(src/gnd.symbols) and of the headers, and everything that tells a version tells the same one."""

import re
import subprocess
import sys
from pathlib import Path

import gnd
import headers

ROOT = headers.ROOT
sys.path.insert(0, str(ROOT / "packaging"))

import symbols  # noqa: E402


def exported():
    """What libgnd.so exports, less the tests' hooks."""
    listing = subprocess.run(["nm", "-D", "--defined-only", gnd.LIBRARY], check=True,
                             capture_output=True, text=True).stdout
    names = {line.split()[-1].split("@")[0] for line in listing.splitlines() if line.strip()}
    return {name for name in names if not name.startswith("gndi_")} - {"_init", "_fini"}


def soname():
    dynamic = subprocess.run(["readelf", "-d", gnd.LIBRARY], check=True, capture_output=True,
                             text=True).stdout
    return re.search(r"SONAME.*\[(.*)\]", dynamic).group(1)


def test_the_library_exports_what_is_listed():
    found = symbols.differences(exported(), "exported by libgnd.so")
    assert not found, "\n".join(found)


def test_the_headers_declare_what_is_listed():
    found = symbols.differences(symbols.declared(), "declared by the headers")
    assert not found, "\n".join(found)


def test_the_list_notices_what_comes_and_what_goes():
    names = set(symbols.listed())
    gone = sorted(names)[0]
    found = symbols.differences(names - {gone} | {"gnd_new"}, "declared")
    assert len(found) == 2 and all("./dev symbols" in sentence for sentence in found)
    assert found[0].startswith("gnd_new is") and found[1].startswith(gone + " is in src/gnd.symbols")


def test_no_function_is_newer_than_the_version():
    def numbers(text):
        return tuple(int(part) for part in text.split("."))

    assert max(map(numbers, symbols.listed().values())) <= numbers(symbols.version())


def test_versions_agree():
    version = symbols.version()
    project = re.search(r"^project\(.*?\bversion: '([\d.]+)'", (ROOT / "meson.build").read_text(),
                        flags=re.S | re.M).group(1)
    changes = re.search(r"^## \[([\d.]+)\]", (ROOT / "CHANGELOG.md").read_text(), flags=re.M).group(1)
    library = Path(gnd.LIBRARY).resolve().name.removeprefix("libgnd.so.")
    assert {"base.h": version, "meson.build": project, "CHANGELOG.md": changes, "libgnd.so": library,
            "gnd_version()": gnd.version()} == dict.fromkeys(
                ["base.h", "meson.build", "CHANGELOG.md", "libgnd.so", "gnd_version()"], version)
    assert re.fullmatch(rf"libgnd\.so\.{version.split('.')[0]}", soname())


def test_the_manual_knows_the_environment():
    """gnd(7) has every variable that the library reads, but for one that tests use."""
    page = (ROOT / "docs" / "man" / "gnd.7").read_text()
    names = {variable.name for variable in headers.read_variables()}
    assert "GND_DEVICE" in names
    missing = [name for name in sorted(names - {"GND_FAIL_ALLOC"}) if not re.search(rf"\b{name}\b", page)]
    assert not missing, missing


def test_the_manuals_have_the_version():
    pages = sorted((ROOT / "docs" / "man").glob("*.[17]"))
    assert pages
    told = {page.name: re.findall(r"gnd(?:-\w+)? (\d+\.\d+\.\d+)", page.read_text()) for page in pages}
    assert told == {page.name: [symbols.version()] for page in pages}


def test_the_debian_package_knows_the_libraries():
    """Debian packages that gnd names where a library is missing are recommended or suggested."""
    text = (ROOT / "src" / "libraries" / "library_tables.c").read_text()
    offered = "\n".join((ROOT / "packaging" / name).read_text() for name in ("debian/control", "debs.sh"))
    names = set(re.findall(r"Debian: ([\w.+-]+)", text))
    assert "libopenblas0" in names
    missing = [name for name in sorted(names) if not re.search(rf"(?<![\w.+-]){re.escape(name)}(?![\w.+-])", offered)]
    assert not missing, missing

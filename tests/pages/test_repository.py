"""What a stranger meets beside the code agrees with it: metadata, the map of the rooms, continuous integration."""

import re
import shutil
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from itertools import pairwise
from pathlib import PurePath
from urllib.parse import urlsplit

import pytest
import yaml
from documentation import PAGES, ROOT, text_of
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import temporacle

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
FOR_DEVELOPERS = {"bench", "browser", "check", "docs", "fuzz", "peers", "test", "twins"}
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


KINDS_IN_ROOT = {"", ".cff", ".json", ".jsonc", ".md", ".toml", ".txt", ".yaml"}


def extras_in(requirement):
    return set(re.search(r"\[(.*)\]", requirement)[1].split(","))


def test_versions_agree():
    assert PROJECT["project"]["version"] == temporacle.__version__
    assert CITATION["version"] == temporacle.__version__


def test_the_citation_says_what_the_package_says():
    assert CITATION["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(CITATION)
    assert CITATION["license"] == PROJECT["project"]["license"]
    assert CITATION["keywords"] == PROJECT["project"]["keywords"]


def test_all_has_every_extra_that_commands_use():
    """An extra is for developers, or a part of ``all``."""
    [requirement] = EXTRAS["all"]
    assert requirement.startswith("temporacle[")
    assert extras_in(requirement) == set(EXTRAS) - FOR_DEVELOPERS - {"all"}


def test_pages_name_extras_that_exist():
    named = {
        extra
        for page in PAGES
        for found in re.findall(r"(?:temporacle|pip install [^\n]*\.)\[([\w,]+)\]", text_of(page))
        for extra in found.split(",")
    }
    assert {"all", "serve", "mcp"} <= named <= set(EXTRAS)


def test_addresses_of_the_project_have_one_host():
    urls = PROJECT["project"]["urls"]
    assert set(urls) == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    others = [CITATION["url"], CITATION["repository-code"]]
    contacts = [link["url"] for path in FORMS for link in yaml.safe_load(path.read_text()).get("contact_links", ())]
    assert {urlsplit(url)[:2] for url in (*urls.values(), *others, *contacts)} == {urlsplit(urls["Homepage"])[:2]}


def steps_of(path):
    jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_run_targets_of_make(path):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([\w-]+):(?!=)", makefile, re.MULTILINE))
    commands = [step["run"] for step in steps_of(path) if "run" in step]
    assert commands
    for command in commands:
        program, target, *values = command.split()
        assert (program, target in targets) == ("make", True), command
        assert all(re.fullmatch(r"[A-Z]+=\w+", value) for value in values)
        rooms = [value.removeprefix("ROOM=") for value in values if value.startswith("ROOM=")]
        assert all((ROOT / "tests" / room).is_dir() for room in rooms)
    assert all(("run" in step) != ("uses" in step) for step in steps_of(path))


def test_the_tests_run_on_every_system_and_version_that_is_promised():
    matrix = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]["test"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["system"]} == {"ubuntu", "macos"}
    kinds = PROJECT["project"]["classifiers"]
    promised = [kind.rpartition(" ")[2] for kind in kinds if re.fullmatch(r".*Python :: 3\.\d+", kind)]
    assert matrix["python"] == promised
    assert PROJECT["project"]["requires-python"] == f">={promised[0]}"


@pytest.mark.parametrize("path", [path for path in FORMS if path.name != "config.yml"], ids=lambda path: path.name)
def test_forms_of_issues_are_whole(path):
    form = yaml.safe_load(path.read_text("utf-8"))
    assert set(form) == {"name", "description", "labels", "body"}
    fields = [part for part in form["body"] if part["type"] != "markdown"]
    assert all(part["type"] in {"textarea", "input"} and part["attributes"]["label"] for part in fields)
    ids = [part["id"] for part in fields]
    assert len(ids) == len(set(ids)) > 0
    assert any(part.get("validations", {}).get("required") for part in fields)


def test_the_root_holds_no_result_of_a_run():
    """Reports, checkpoints and tables that a command wrote there are not part of the project."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("only a clone says which files are part of the project")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    assert "README.md" in listed
    assert not [name for name in listed if "/" not in name and PurePath(name).suffix not in KINDS_IN_ROOT]


def test_the_map_names_every_room_in_the_order_of_imports():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = page[page.index("| room |") : page.index("The reasoner has")]
    rows = [re.findall(r"`(\w+)/?`", line.split("|")[1]) for line in table.splitlines()[2:] if line]
    places = {room: place for place, row in enumerate(rows) for room in row}
    packages = {path.parent.name for path in (ROOT / "temporacle").glob("*/__init__.py")}
    assert packages <= set(places)
    contract = next(each for each in PROJECT["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    layers = [re.findall(r"temporacle\.(\w+)", layer) for layer in contract["layers"]]
    order = [[places[room] for room in layer if room in packages] for layer in layers]
    order = [layer for layer in order if layer]
    assert len(order) > 7
    assert all(max(upper) < min(lower) for upper, lower in pairwise(order))


def test_the_map_names_every_package_of_the_reasoner():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = page[page.index("| package |") : page.index("### Three journeys")]
    packages = {path.parent.name for path in (ROOT / "temporacle" / "reasoner").glob("*/__init__.py")}
    assert set(re.findall(r"^\| `(\w+)/`", table, re.MULTILINE)) == packages


def test_files_that_the_contributors_page_names_exist():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`((?:\w+/)+[\w.]*)`", page))
    found = {
        name
        for name in named
        for base in (ROOT, ROOT / "temporacle", ROOT / "temporacle" / "reasoner")
        if (base / name).exists()
    }
    assert len(named) > 40
    assert named - found == set()


def test_vulnerabilities_can_be_reported_in_private():
    hosts = re.findall(r"[\w.]+@([\w.]+\w)", text_of("SECURITY.md"))
    assert hosts == [urlsplit(PROJECT["project"]["urls"]["Homepage"]).hostname]


PERMISSIVE = re.compile(r"\b(MIT|BSD|Apache|ISC|PSF|Python Software Foundation)\b")


def needed_by(name, extras, found):
    """Add what a package needs at run time, and what that needs in turn."""
    for each in map(Requirement, distribution(name).requires or ()):
        wanted = each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras))
        if wanted and canonicalize_name(each.name) not in found:
            found[canonicalize_name(each.name)] = None
            try:
                found[canonicalize_name(each.name)] = distribution(each.name).metadata
            except PackageNotFoundError:
                continue  # an extra that is not installed here
            needed_by(each.name, each.extras, found)
    return found


def test_every_dependency_is_listed_with_its_licence():
    rows = re.findall(r"^\| ([a-z0-9, -]+) \| ([^|]+) \|", text_of("SECURITY.md"), re.MULTILINE)
    listed = {name: licence for names, licence in rows[1:] for name in names.split(", ")}
    [all_extras] = EXTRAS["all"]
    used = extras_in(all_extras)
    direct = {Requirement(line).name for lines in (EXTRAS[each] for each in used) for line in lines} - {"temporacle"}
    assert set(listed) == direct | {Requirement(each).name for each in PROJECT["project"]["dependencies"]}
    assert all(PERMISSIVE.search(licence) for licence in listed.values())
    needed = needed_by("temporacle", used, {})
    assert len(needed) > 20
    for name, about in needed.items():
        if about is not None:
            stated = about.get("License-Expression") or about.get("License") or ""
            licences = [each for each in about.get_all("Classifier", []) if each.startswith("License ::")]
            said = " ".join([*licences, stated[:300]])
            assert PERMISSIVE.search(said), name
            assert "GPL" not in said, name


def test_every_attack_has_a_test_that_exists():
    attacks = text_of("docs/reliability.md").partition("## Attacks")[2]
    rows = [line.rstrip("| ").rpartition(" | ")[2] for line in attacks.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 20
    for row in rows:
        for name in re.findall(r"`([^`]+)`", row):
            assert (ROOT / name).is_dir() or list((ROOT / "tests").glob(f"*/{name}.py")), name


def test_the_changelog_has_the_form_of_keep_a_changelog():
    text = text_of("CHANGELOG.md")
    versions = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert any(each.startswith(temporacle.__version__) for each in versions[:2])
    kinds = ["Changed", "Added", "Deprecated", "Removed", "Fixed", "Security"]
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        found = re.findall(r"^### (.+)$", section, re.MULTILINE)
        assert found == [kind for kind in kinds if kind in found]
        changed = [line for line in section.splitlines() if line.startswith("- ")]
        breaking = [line.startswith("- **Breaking:** ") for line in changed]
        assert breaking == sorted(breaking, reverse=True)
        others = [line for line in section.splitlines()[1:] if line and not line.startswith(("- ", "### "))]
        assert not others, "one line for each change"
        assert not [line for line in changed if len(line) > 240]

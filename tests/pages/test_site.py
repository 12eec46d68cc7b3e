"""The site has every page and every public name once, and no broken link."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from documentation import ROOT

import temporacle

CONFIG = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]


def pages(entries):
    for entry in entries:
        for value in entry.values():
            if isinstance(value, str):
                yield value
            else:
                yield from pages(value)


def test_every_page_is_in_the_menu_once():
    listed = list(pages(CONFIG["nav"]))
    audits = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs" / "audits").glob("*.md")}
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(listed) == sorted(there - audits)  # audits are reached from the page of audit


@pytest.mark.slow
def test_the_site_is_built_without_a_broken_link(tmp_path):
    if find_spec("zensical") is None:
        pytest.skip("the site needs the extra: pip install -e '.[docs]'")
    for name in ("docs", "bench", "temporacle"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.gz"))
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    program = Path(sys.executable).parent / "zensical"
    done = subprocess.run([program, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / CONFIG["site_dir"]
    found = json.loads((site / "search.json").read_text("utf-8"))
    assert any("kappa" in json.dumps(each).lower() for each in found["items"])
    headings = re.findall(r'<h2 id="temporacle[\w.]*\.(\w+)" class="doc', (site / "api.html").read_text("utf-8"))
    assert sorted(headings) == sorted(temporacle.__all__)

"""``temporacle docs``: a page on this machine if the site is there, otherwise an address."""

import pytest

from temporacle.cli import run
from temporacle.commands import about


@pytest.fixture
def opened(monkeypatch):
    found = []
    monkeypatch.setattr("webbrowser.open", found.append)
    return found


def test_without_a_site_the_address_is_printed(monkeypatch, capsys, opened, tmp_path):
    monkeypatch.setattr(about, "_PLACES", (tmp_path,))
    assert run(["docs", "tutorial"]) == 0
    assert capsys.readouterr().out == "https://temporacle.example/docs/tutorial.html\n"
    assert opened == []


def test_with_a_site_the_page_is_opened(monkeypatch, capsys, opened, tmp_path):
    (tmp_path / "site").mkdir()
    for name in ("index", "tutorial"):
        (tmp_path / "site" / f"{name}.html").write_text(name)
    (tmp_path / "secret.html").write_text("not a page")
    monkeypatch.setattr(about, "_PLACES", (tmp_path / "none", tmp_path / "site"))
    assert run(["docs"]) == 0
    assert opened == [(tmp_path / "site" / "index.html").as_uri()]
    assert run(["docs", "tutorial", "--print"]) == 0
    assert capsys.readouterr().out.endswith("tutorial.html\n")
    assert len(opened) == 1
    for page in ("nonsense", "../secret"):
        assert run(["docs", page]) == 2
        assert "no page" in capsys.readouterr().err

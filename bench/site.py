"""Put the pages of the site together: ``python -m bench.site`` fills build/pages, from which ``make docs`` builds.

docs/          as it is, except rules.md
messages/      one page for each code, and a list of them; the path of a page stays the same
notebooks/     the notebooks in examples/notebooks, executed
schemas/       the JSON Schemas
files/         examples and code that pages link to
"""

from __future__ import annotations

import ast
import html
import io
import json
import re
import shutil
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import partial
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from temporacle.cli import run
from temporacle.commands.about import list_of_messages, page_of_message
from temporacle.rules import Rule, RuleKind, rules, schema_names

if TYPE_CHECKING:
    from collections.abc import Iterator


ROOT = Path(__file__).resolve().parents[1]
_OUTSIDE = r"\]\(\.\./((?:examples|temporacle)(?:/[\w./-]+)?)\)"  # links of pages in docs to other folders
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def assemble(target: Path = ROOT / "build" / "pages") -> None:
    """Write all pages into a folder that is made anew."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "docs", target, ignore=shutil.ignore_patterns("rules.md"))
    for page in target.rglob("*.md"):
        text = page.read_text("utf-8")
        text = re.sub(r"\]\(rules\.md(?:#([\w-]+))?\)", _to_messages, text)
        page.write_text(re.sub(_OUTSIDE, partial(_copied, target / "files"), text), "utf-8")
    for path, text in _messages():
        (target / path).parent.mkdir(exist_ok=True)
        (target / path).write_text(text, "utf-8")
    for notebook in NOTEBOOKS:
        (target / "notebooks").mkdir(exist_ok=True)
        (target / "notebooks" / f"{notebook.stem}.md").write_text("\n".join(_notebook(notebook)), "utf-8")
        (target / "files/examples/notebooks").mkdir(parents=True, exist_ok=True)
        shutil.copy(notebook, target / "files/examples/notebooks")
    shutil.copytree(ROOT / "temporacle" / "data" / "schemas", target / "schemas")
    listed = "".join(f"- [{name}.json](schemas/{name}.json)\n" for name in schema_names())
    with (target / "schemas.md").open("a", encoding="utf-8") as page:
        page.write(f"\n## Files\n\n{listed}")


def _to_messages(link: re.Match[str]) -> str:
    return f"](messages/{link[1] or 'index'}.md)"


def _copied(folder: Path, link: re.Match[str]) -> str:
    """Copy what a page links to outside of docs, a folder as an archive, and return the link to the copy."""
    source, copy = ROOT / link[1], folder / link[1]
    copy.parent.mkdir(parents=True, exist_ok=True)
    if source.is_file():
        shutil.copy(source, copy)
        return f"](files/{link[1]})"
    shutil.make_archive(str(copy), "zip", source.parent, source.name)
    return f"](files/{link[1]}.zip)"


def _messages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page about messages."""
    found = list(rules().values())
    index = "\n".join(list_of_messages(found))
    yield "messages/index.md", re.sub(r"^\| `([\w-]+)`", r"| [`\1`](\1.md)", index, flags=re.MULTILINE)
    for rule in found:
        yield f"messages/{rule.code}.md", f"{page_of_message(rule)}{_printed(rule)}\n[All messages](index.md)\n"


def _printed(rule: Rule) -> str:
    """Return what ``check`` prints about the example of a message."""
    if rule.file is None or rule.example is None:
        return ""
    with TemporaryDirectory() as name, chdir(name), redirect_stdout(io.StringIO()) as out, redirect_stderr(out):
        path = Path(rule.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rule.example.removeprefix("\n"), "utf-8")
        run(["check", rule.file])
    lines = list(takewhile(lambda line: not line.startswith("document  "), out.getvalue().splitlines()))
    if rule.kind is not RuleKind.ERROR:
        lines = [line for line in lines if f"[{rule.code}]" in line]
    return "\n".join(["", f"`temporacle check {rule.file}` prints:", "", "```text", *lines, "```", ""])


def _notebook(path: Path) -> Iterator[str]:
    """Yield a notebook as a page: text, code, and what the code shows."""
    for source, shown in executed(path):
        if shown is None:
            yield f"{source}\n"
            continue
        yield f"```python\n{source}\n```\n"
        yield from (f"{_displayed(each)}\n" for each in shown)
    yield f"Executed when the site was built. [Download the notebook](../files/examples/notebooks/{path.name})."


def executed(path: Path) -> Iterator[tuple[str, list[Any] | None]]:
    """Run the cells of a notebook. Yield each with what it shows, or with None if it is text."""
    names: dict[str, Any] = {}
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            yield source, None
            continue
        *body, last = ast.parse(source).body
        value = None
        with redirect_stdout(io.StringIO()) as printed:
            if isinstance(last, ast.Expr):
                exec(compile(ast.Module(body, []), path.name, "exec"), names)
                value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
            else:
                exec(compile(ast.Module([*body, last], []), path.name, "exec"), names)
        yield source, [each for each in (printed.getvalue(), value) if each not in ("", None)]


def _displayed(value: Any) -> str:
    """Return what a notebook would show of a value."""
    if hasattr(value, "savefig"):
        drawn = io.StringIO()
        value.savefig(drawn, format="svg")
        return f'<div class="output">{drawn.getvalue()[drawn.getvalue().index("<svg") :]}</div>'
    if hasattr(value, "_repr_html_"):
        shown = re.sub(r"\n\s*\n", "\n", value._repr_html_().strip())
        return f'<div class="output">{shown}</div>'
    text = value if isinstance(value, str) and "\n" in value else repr(value)
    return f'<pre class="output">{html.escape(text.rstrip())}</pre>'


if __name__ == "__main__":
    assemble()

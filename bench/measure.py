"""Figures of the tree: size, names, imports, and how far a command travels.

    python -m bench.measure             a table
    python -m bench.measure --json      the same for programs

A journey counts the functions of the package that a command enters, their modules and the greatest depth of the
stack (frames of the package only; comprehensions and lambdas do not count). Passes and oracles are counted in the
same way: by the names in ``COUNTED``, which have to follow when a function moves.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import re
import runpy
import sys
import tokenize
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frozen import load_all, temporary_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "temporacle"

# Functions whose calls are counted, as "module:qualified name". Adapt them when they move.
COUNTED = {
    "passes": ("temporacle.reasoner.points.graph:strong_components",),
    "condensations": ("temporacle.reasoner.points.graph:PointGraph.condense",),
    "oracles": (
        "temporacle.reasoner.oracle:Oracle.__init__",
        "temporacle.reasoner.clock.oracle:CalendarOracle.__init__",
    ),
}
LANES = f"{PACKAGE}.reasoner"  # where numeric constants choose between ways to decide


# --- files and imports ------------------------------------------------------------------------------------------------


@dataclass
class Module:
    name: str
    path: Path
    imports: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # when -> names

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def room(self) -> str:
        parts = self.name.split(".")
        return parts[1] if len(parts) > 2 or (self.path.name == "__init__.py" and len(parts) == 2) else "."

    @property
    def short_name(self) -> str:
        return self.name.rpartition(".")[2]


def modules() -> dict[str, Module]:
    """Return the modules of the package by name."""
    found = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, path)
    for module in found.values():
        read_imports(module, found)
    return found


def read_imports(module: Module, known: dict[str, Module]) -> None:
    """Fill in which modules of the package a module imports: at the top, inside functions, for types."""

    def visit(node: ast.AST, when: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                visit(child, "inside" if when == "top" else when)
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                for each in child.body:
                    visit(ast.Module([each], []), "types")
                for each in child.orelse:
                    visit(ast.Module([each], []), when)
            elif isinstance(child, (ast.Import, ast.ImportFrom)):
                module.imports[when].update(name for name in imported(child, module, known) if name != module.name)
            else:
                visit(child, when)

    visit(module.tree, "top")


def imported(node: ast.Import | ast.ImportFrom, module: Module, known: dict[str, Module]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in known)
        return
    base = node.module or ""
    if node.level:
        parts = module.name.split(".")
        parts = parts if module.path.name == "__init__.py" else parts[:-1]
        parts = parts[: len(parts) - node.level + 1]
        base = ".".join([*parts, *([node.module] if node.module else [])])
    for alias in node.names:
        if f"{base}.{alias.name}" in known:
            yield f"{base}.{alias.name}"
        elif base in known:
            yield base


def code_lines(module: Module) -> int:
    """Count lines with a token that is neither a comment nor part of a docstring."""
    docstrings: set[int] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(
            node, clean=False
        ):
            first = node.body[0]
            docstrings.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type not in silent:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one module (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found = []
    for root, targets in graph.items():
        if root in index:
            continue
        work = [(root, iter(sorted(targets)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(graph[target]))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        on_stack.discard(part[-1])
                    if len(part) > 1:
                        found.append(sorted(part))
    return sorted(found)


def constants(module: Module) -> list[str]:
    """Return the numeric constants of a module: upper-case names at its top level."""
    found = []
    for node in module.tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each.id for each in targets if isinstance(each, ast.Name)]
            if is_number(node.value):
                found += [name for name in names if re.fullmatch(r"_?[A-Z][A-Z0-9_]*", name)]
    return found


def is_number(node: ast.expr) -> bool:
    """Whether an expression consists of numbers alone."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, ast.UnaryOp) and is_number(node.operand)


def tree_figures() -> dict[str, Any]:
    """Return sizes, names and imports."""
    known = modules()
    top = {name: module.imports["top"] & known.keys() for name, module in known.items()}
    both = {name: (module.imports["top"] | module.imports["inside"]) & known.keys() for name, module in known.items()}
    importers: dict[str, set[str]] = defaultdict(set)
    for name, targets in both.items():
        for target in targets:
            importers[target].add(name)
    single = [name for name, users in importers.items() if len(users) == 1]
    names = Counter(module.short_name for module in known.values() if module.path.name != "__init__.py")
    classes: dict[str, list[str]] = defaultdict(list)
    for module in known.values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(module.name)
    numbers = {name: constants(module) for name, module in known.items() if name.startswith(LANES)}
    rooms: dict[str, dict[str, Any]] = {}
    lines = {name: code_lines(module) for name, module in known.items()}
    for room in sorted({module.room for module in known.values()}):
        members = {name for name, module in known.items() if module.room == room}
        rooms[room] = {
            "files": len(members),
            "code lines": sum(lines[name] for name in members),
            "one importer": sum(name in members for name in single),
            "imports inside functions": sum(len(known[name].imports["inside"]) for name in members),
            "cycles at the top": [len(part) for part in inner_cycles(top, members)],
            "cycles with functions": [len(part) for part in inner_cycles(both, members)],
        }
    return {
        "files": len(known),
        "code lines": sum(lines.values()),
        "total lines": sum(len(module.text.splitlines()) for module in known.values()),
        "modules with exactly one importer": len(single),
        "module names used more than once": sum(count > 1 for count in names.values()),
        "public class names used twice or more": sum(len(places) > 1 for places in classes.values()),
        "import cycles at the top level (sizes)": [len(part) for part in cycles(top)],
        "import cycles with imports inside functions (sizes)": [len(part) for part in cycles(both)],
        "imports of own modules inside functions": sum(len(module.imports["inside"]) for module in known.values()),
        "numeric constants in the reasoner": sum(map(len, numbers.values())),
        "rooms": rooms,
        "lists": {
            "one importer": sorted(single),
            "module names": {name: count for name, count in names.most_common() if count > 1},
            "class names": {name: places for name, places in sorted(classes.items()) if len(places) > 1},
            "cycles in the reasoner": inner_cycles(both, {name for name in known if name.startswith(LANES)}),
            "constants": {name: found for name, found in numbers.items() if found},
        },
    }


def inner_cycles(graph: dict[str, set[str]], members: set[str]) -> list[list[str]]:
    return cycles({name: graph[name] & members for name in sorted(members)})


# --- journeys ---------------------------------------------------------------------------------------------------------

CONSISTENT = "a\tBEFORE\tb\nb\tBEFORE\tc\nc\tIS_INCLUDED\td\n"
INCONSISTENT = "a\tBEFORE\tb\nb\tBEFORE\tc\nc\tBEFORE\ta\nc\tINCLUDES\td\nd\tAFTER\te\ne\tBEFORE\tc\n"


def write_folders(folder: Path) -> None:
    for side in ("gold", "system"):
        (folder / side).mkdir()
        (folder / side / "one.tsv").write_text(CONSISTENT, "utf-8")
        (folder / side / "two.tsv").write_text(CONSISTENT.replace("IS_INCLUDED", "AFTER"), "utf-8")
    (folder / "system" / "two.tsv").write_text(CONSISTENT, "utf-8")
    (folder / "bad").mkdir()
    (folder / "bad" / "three.tsv").write_text(INCONSISTENT, "utf-8")


JOURNEYS = {
    "check of a TSV folder": ["check", "gold"],
    "check --repair of an inconsistent document": ["check", "bad", "--repair"],
    "score": ["score", "gold", "system"],
    "entails": ["entails", "gold/one.tsv", "a", "BEFORE", "c"],
}
DECISIONS = {
    "check": ["check", "bad"],
    "check --repair": ["check", "bad", "--repair"],
    "check --repair --certificates": ["check", "bad", "--repair", "--certificates", "certificates"],
}


def travelled(arguments: list[str], folder: Path) -> dict[str, Any]:
    """Run a command in a copy of this process, watched; return what it entered."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.close(reading)
        os.chdir(folder)
        watch(arguments, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as report:
        text = report.read()
    os.waitpid(child, 0)
    return json.loads(text)


def watch(arguments: list[str], writing: int) -> None:
    """Be the command, and report what it entered when it ends. Never returns."""
    home = str(ROOT / PACKAGE) + os.sep
    entered: Counter[tuple[str, str]] = Counter()
    own: dict[str, bool] = {}
    depth = deepest = 0

    def notice(frame: Any, event: str, _: object) -> None:
        nonlocal depth, deepest
        if event not in {"call", "return"}:
            return
        code = frame.f_code
        file = code.co_filename
        if file not in own:
            own[file] = file.startswith(home)
        if not own[file] or code.co_name.startswith("<"):
            return
        if event == "return":
            depth -= 1
            return
        depth += 1
        deepest = max(deepest, depth)
        entered[file, code.co_qualname] += 1

    def report(code: int) -> None:
        sys.setprofile(None)
        calls: Counter[str] = Counter()
        for (file, name), count in entered.items():
            module = ".".join(Path(file).relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            calls[f"{module}:{name}"] += count
        found = {
            "exit": code,
            "functions": len(entered),
            "modules": len({file for file, _ in entered}),
            "depth": deepest,
            **{what: sum(calls[name] for name in names) for what, names in COUNTED.items()},
        }
        with os.fdopen(writing, "w", encoding="utf-8") as out:
            json.dump(found, out)

    leave = os._exit

    def leaving(code: int) -> None:
        report(code)
        leave(0)

    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    os._exit = leaving  # type: ignore[assignment]
    sys.argv = ["temporacle", *arguments]
    sys.setprofile(notice)
    try:
        runpy.run_module(PACKAGE, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 70
    except BaseException:  # noqa: BLE001 - the copy must never go on as its parent
        code = 70
    leaving(code)


def unknown_names() -> list[str]:
    """Return names of ``COUNTED`` that the tree does not have: calls of them would be counted as none."""
    known = modules()
    missing = []
    for names in COUNTED.values():
        for name in names:
            where, _, what = name.partition(":")
            body = known[where].tree.body if where in known else []
            for part in what.split("."):
                nodes = [node for node in body if getattr(node, "name", None) == part]
                body = getattr(nodes[0], "body", []) if nodes else []
            if not body:
                missing.append(name)
    return missing


def figures() -> dict[str, Any]:
    """Return all figures. Everything is loaded before: loading modules does not belong to a journey."""
    load_all()
    with temporary_folder() as scratch:
        folder = Path(scratch)
        write_folders(folder)
        journeys = {name: travelled(arguments, folder) for name, arguments in JOURNEYS.items()}
        decisions = {name: travelled(arguments, folder) for name, arguments in DECISIONS.items()}
    return {**tree_figures(), "journeys": journeys, "decisions": decisions, "unknown names": unknown_names()}


def table(found: dict[str, Any]) -> Iterator[str]:
    for name, value in found.items():
        if name not in {"rooms", "lists", "journeys", "decisions", "unknown names"}:
            yield f"{name:<55} {value if isinstance(value, list) else f'{value:,}'}"
    yield ""
    columns = list(next(iter(found["rooms"].values())))
    yield f"{'room':<14}" + "".join(f"{name:>26}" for name in columns)
    for room, row in found["rooms"].items():
        yield f"{room:<14}" + "".join(f"{row[name]!s:>26}" for name in columns)
    yield ""
    yield f"{'journey':<45} functions  modules  depth  exit"
    for name, row in found["journeys"].items():
        yield f"{name:<45} {row['functions']:>9}  {row['modules']:>7}  {row['depth']:>5}  {row['exit']:>4}"
    yield ""
    yield f"{'one inconsistent document':<45} " + "  ".join(COUNTED)
    for name, row in found["decisions"].items():
        yield f"{name:<45} " + "  ".join(f"{row[what]:>{len(what)}}" for what in COUNTED)
    for name in found["unknown names"]:
        yield f"not found, adapt COUNTED in bench/measure.py: {name}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.measure", description="Print figures of the tree.")
    parser.add_argument("--json", action="store_true", help="print JSON, with the lists behind the figures")
    found = figures()
    if parser.parse_args(arguments).json:
        print(json.dumps(found, indent=1))
    else:
        print("\n".join(table(found)))
    return 1 if found["unknown names"] else 0


if __name__ == "__main__":
    sys.exit(main())

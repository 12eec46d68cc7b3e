"""Which changes are tried: one for each operator, constant, condition, loop, call and argument of a module.

Texts, annotations, decorators, assertions and error messages are left alone.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_OPPOSITES = {"min": "max", "max": "min", "any": "all", "all": "any"}
_SKIPPED_FIELDS = {"annotation", "returns", "decorator_list", "type_comment", "type_params", "bases"}


class Mutant(NamedTuple):
    """One change. ``number`` counts the changes of a module from 0, in the order of the syntax tree."""

    number: int
    line: int  # first line of the statement that holds the change
    function: str | None  # outermost function around it, such as "Oracle.closure"; None: code that runs at import
    change: str


class _Site(NamedTuple):
    """A node of the tree, with the place where another node can be put."""

    node: ast.AST
    statement: ast.stmt
    function: str | None
    put: Callable[[ast.AST | None], None]  # None removes the node from a list


def mutants(source: str) -> list[Mutant]:
    r"""Return all mutants of a module.

    >>> [(each.line, each.change) for each in mutants("def f(x):\n    return x < 1\n")]
    [(2, 'return None'), (2, '< -> <='), (2, '1 -> 2')]
    """
    return [
        Mutant(number, site.statement.lineno, site.function, change)
        for number, (site, change, _) in enumerate(_changes(ast.parse(source)))
    ]


def mutated(source: str, number: int) -> ast.Module:
    """Return the syntax tree of a module with one change made."""
    tree = ast.parse(source)
    for at, (_, _, make) in enumerate(_changes(tree)):
        if at == number:
            make()
            return ast.fix_missing_locations(tree)
    raise IndexError(number)


def _changes(tree: ast.Module) -> Iterator[tuple[_Site, str, Callable[[], None]]]:
    for site in _sites(tree):
        for change, replacement in _alternatives(site.node):
            yield site, change, lambda site=site, replacement=replacement: site.put(replacement)


def _sites(tree: ast.Module) -> Iterator[_Site]:
    """Visit all nodes that may be changed, with an explicit stack in the order of the source."""
    stack: list[tuple[ast.AST, ast.stmt | None, str | None, str]] = [(tree, None, None, "")]
    while stack:
        node, statement, function, scope = stack.pop()
        children: list[tuple[ast.AST, ast.stmt | None, str | None, str]] = []
        for name, value in ast.iter_fields(node):
            if name in _SKIPPED_FIELDS or (isinstance(node, ast.Raise) and name == "exc"):
                continue
            for position, child in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(child, ast.AST) or _is_left_alone(child, node, position):
                    continue
                inside = child if isinstance(child, ast.stmt) else statement
                if inside is None:
                    continue
                child_scope, child_function = scope, function
                if name == "args" and isinstance(node, ast.FunctionDef) and function == scope:
                    child_function = None  # defaults are worked out at import
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    child_scope = f"{scope}.{child.name}" if scope else child.name
                    if function is None and not isinstance(child, ast.ClassDef):
                        child_function = child_scope
                yield _Site(child, inside, child_function, _putter(node, name, value, position))
                children.append((child, inside, child_function, child_scope))
        stack.extend(reversed(children))


def _putter(node: ast.AST, name: str, value: object, position: int) -> Callable[[ast.AST | None], None]:
    def put(replacement: ast.AST | None) -> None:
        if not isinstance(value, list):
            setattr(node, name, replacement)
        elif replacement is None:
            del value[position]
        else:
            value[position] = replacement

    return put


def _is_left_alone(node: ast.AST, parent: ast.AST, position: int) -> bool:
    if isinstance(node, ast.Assert | ast.Import | ast.ImportFrom | ast.JoinedStr):
        return True
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return True
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text and (position == 0 or isinstance(parent, ast.ClassDef | ast.Module))


def _alternatives(node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    match node:
        case ast.Compare():
            for position, old in enumerate(node.ops):
                new = _COMPARISONS[type(old)]()
                ops = [*node.ops[:position], new, *node.ops[position + 1 :]]
                yield _arrow(old, new), ast.Compare(node.left, ops, node.comparators)
        case ast.BoolOp():
            opposite = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield _arrow(node.op, opposite), ast.BoolOp(opposite, node.values)
            for position in (0, len(node.values) - 1):
                rest = node.values[:position] + node.values[position + 1 :]
                yield (
                    f"without {_short(node.values[position])}",
                    rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest),
                )
        case ast.UnaryOp(op=ast.Not()):
            yield "not x -> x", node.operand
        case ast.BinOp() if type(node.op) in _ARITHMETIC and not _is_text(node):
            new_operator = _ARITHMETIC[type(node.op)]()
            yield _arrow(node.op, new_operator), ast.BinOp(node.left, new_operator, node.right)
        case ast.Constant(value=bool()):
            yield f"{node.value} -> {not node.value}", ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield f"{node.value} -> {node.value + 1}", ast.Constant(node.value + 1)
        case ast.If() | ast.IfExp():
            for value in (True, False):
                replacement = type(node)(ast.Constant(value), node.body, node.orelse)
                yield f"if {_short(node.test)} -> if {value}", replacement
        case ast.While() if not (isinstance(node.test, ast.Constant)):
            yield "while -> while False", ast.While(ast.Constant(False), node.body, node.orelse)
        case ast.For():
            yield "loop skipped", ast.For(node.target, ast.Tuple([], ast.Load()), node.body, node.orelse)
        case ast.comprehension():
            for position, condition in enumerate(node.ifs):
                rest = node.ifs[:position] + node.ifs[position + 1 :]
                yield f"without if {_short(condition)}", ast.comprehension(node.target, node.iter, rest, node.is_async)
        case ast.AugAssign() | ast.Delete() | ast.Expr(value=ast.Call()) | ast.Raise():
            yield f"without {_short(node)}", ast.Pass()
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield "return None", ast.Return(ast.Constant(None))
        case ast.Break():
            yield "break -> continue", ast.Continue()
        case ast.Continue():
            yield "continue -> break", ast.Break()
        case ast.Name(id=name) if name in _OPPOSITES:
            yield f"{name} -> {_OPPOSITES[name]}", ast.Name(_OPPOSITES[name], ast.Load())
        case ast.keyword(arg=str(name)):
            yield f"without {name}=", None


def _is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def _arrow(old: ast.AST, new: ast.AST) -> str:
    return f"{_SIGNS.get(type(old), type(old).__name__)} -> {_SIGNS.get(type(new), type(new).__name__)}"


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


_SIGNS: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.And: "and",
    ast.Or: "or",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Div: "/",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}

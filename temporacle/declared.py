"""Tasks, and what they declare about their parameters. Every surface is made from this one declaration.

    @task(Closures)
    def closure(source: Source, *, points: Annotated[bool, About("Give the order of starts and ends.")] = False,
                **shared: Unpack[CorpusOptions]) -> Iterator[DocumentClosure]: ...

The function yields one answer after the other. ``closure(...)`` collects them, ``closure.each(...)`` is the iterator.
Commands take their options from ``parameters_of(closure)``, the docstring its section about arguments, and servers the
JSON Schema. Options that many tasks share are the keys of a TypedDict. Options that only the values of others decide
about, such as those of a metric, are added by ``more``.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from functools import cache, wraps
from inspect import Parameter as Argument
from inspect import Signature, cleandoc, formatannotation
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, Protocol, TypeAlias, TypeVar, get_args, get_origin

from temporacle.errors import UsageError, WarningOnce, firsts_of, nearest, warn_of_others, warn_of_skipped
from temporacle.old_names import moved_keywords, new_keyword, old_keywords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Whole = TypeVar("Whole")
Answer_co = TypeVar("Answer_co", covariant=True)
Whole_co = TypeVar("Whole_co", covariant=True)

STANDARD_INPUT = "-"  # as the name of a file
READING, CALENDAR, OUTPUT, MESSAGES, RUNNING = "Reading files", "Calendar", "Output", "Messages", "Long runs"
OF_METRICS = "Options of "
"""How the heading begins of options that only some metrics have. The names of the metrics follow."""
FOR_THE_PROGRAM = ("observer", "gate", "explained", "progress", "most_explained")
"""Parameters of tasks that commands and servers give. Signatures and docstrings leave them out."""
# Parameters that may be files.
_SOURCES = ("source", "old", "new", "gold", "system", "systems", "implementation", "claimed", "hard")
_READ = (*_SOURCES, "certificate")  # and those that are read beside them
OF_PROGRAMS = "Programs"  # the heading of options that only some programs have
# In the order of help; the first is the task's own.
GROUPS = ("", OF_PROGRAMS, READING, CALENDAR, OUTPUT, MESSAGES, RUNNING)


@dataclass(frozen=True, slots=True)
class About:
    """What there is to say about a parameter: for help, docstrings, the reference and schemas.

    The text names another parameter as ``{time_limit}``: each surface spells it in its own way.
    """

    text: str
    value: str | None = None  # what a value is called on the command line: FILE, ID=LABEL
    group: str = ""
    default: Any = None  # of a key of shared options; other parameters have theirs in the signature
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    parse: Callable[[str], Any] | None = None  # from the text of the command line
    short: str | None = None  # a letter for the command line
    path: str = ""  # what the value is the path of: "read", or written: "file", "folder", "place" (one of both)
    hidden: bool = False  # another command does it now
    place: str = ""  # on the command line, if not as in Python: "option" or "argument"
    only_python: bool = False  # about values in memory, which a command line does not have


@dataclass(frozen=True, slots=True)
class Parameter:
    """One declared parameter of a task."""

    name: str
    about: About
    type: type  # of a single value, as the command line gives it: bool, int, float or str
    default: Any = Argument.empty
    is_many: bool = False  # may be given several times
    is_positional: bool = False
    is_spread: bool = False  # any number of positional arguments
    may_be_unset: bool = False  # None is another thing than False

    @property
    def is_required(self) -> bool:
        return self.default is Argument.empty

    @property
    def option(self) -> str:
        """Return the spelling on the command line."""
        return f"--{self.name.replace('_', '-')}"

    def text(self, spell: Callable[[str], str]) -> str:
        """Return the text, with the names of other parameters as ``spell`` writes them."""
        return self.about.text.format_map(_Spelled(spell)) if "{" in self.about.text else self.about.text

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the value."""
        kind = {bool: "boolean", int: "integer", float: "number", str: "string"}[self.type]
        found: dict[str, Any] = {"type": kind}
        if self.about.choices:
            found["enum"] = list(self.about.choices)
        limits = {"minimum": self.about.least, "maximum": self.about.most}
        found |= {name: limit for name, limit in limits.items() if limit is not None}
        if self.is_many:
            found = {"type": "array", "items": found}
        return found | {"description": self.text(lambda name: name)}


class _Spelled(dict[str, str]):
    def __init__(self, spell: Callable[[str], str]) -> None:
        super().__init__()
        self._spell = spell

    def __missing__(self, name: str) -> str:
        return self._spell(name)


class Task(Protocol[Given, Answer_co, Whole_co]):
    """A task as Python calls it: with all answers at once, or with ``each`` one after the other."""

    __name__: str
    streams: Callable[..., Iterator[Any]]  # the function as it was written

    def __call__(self, *given: Given.args, **named: Given.kwargs) -> Whole_co: ...

    def each(self, *given: Given.args, **named: Given.kwargs) -> Iterator[Answer_co]: ...


More: TypeAlias = "Callable[[], Mapping[str, Parameter]]"
"""Returns further parameters of a task. It is called late, because it may load much."""

WITH_CONFIG: list[Callable[..., dict[str, Any]]] = []
"""Returns the keywords of a call with what the project file that they name says. The reader of these files adds it."""


MOVED_TO: dict[str, Callable[[Callable[..., Any], Mapping[str, Any], Any, dict[str, Any]], Any]] = {}
"""By task: what calls it, and then does what keywords that it had once asked for. Called with these, and a source."""


def task(
    collect: Callable[[Any], Whole], more: More | None = None
) -> Callable[[Callable[Given, Iterator[Answer]]], Task[Given, Answer, Whole]]:
    """Return a decorator that makes a task of a function which yields answers. ``collect`` makes them one result."""

    def decorate(function: Callable[Given, Iterator[Answer]]) -> Task[Given, Answer, Whole]:
        answer = _warning(function, lambda *given, **named: collect(function(*given, **named)))
        called: Any = _checked(function, answer, more)
        kind = getattr(collect, "__self__", collect)  # a class, its method, or a function
        called.whole = kind.__name__ if isinstance(kind, type) else kind.__annotations__["return"]
        called.each = _checked(function, function, more)
        return called  # type: ignore[no-any-return]

    return decorate


def whole_task(function: Callable[Given, Whole], more: More | None = None) -> Callable[Given, Whole]:
    """Make a task of a function that has one answer."""
    called = _checked(function, _warning(function, function), more)
    called.each = _checked(function, lambda *given, **named: iter((function(*given, **named),)), more)
    return called  # type: ignore[no-any-return]


def whole_task_with(more: More) -> Callable[[Callable[Given, Whole]], Callable[Given, Whole]]:
    """Return a decorator that makes a task of a function that has one answer, and further parameters."""
    return lambda function: whole_task(function, more)


def keywords(function: Callable[Given, Whole]) -> Callable[Given, Whole]:
    """Let a function take old names of its keywords, with a warning, and refuse unknown ones with the nearest."""
    return _checked(function, function, None)  # type: ignore[no-any-return]


def _warning(function: Callable[..., Any], answer: Callable[..., Any]) -> Callable[..., Any]:
    """Return the answering function with warnings of Python about the input, unless an observer hears of them.

    Documents were warned of when they were read. What two sources have to do with each other is always said.
    """
    arguments = Signature.from_callable(function).parameters.values()
    is_spread = any(each.kind is Argument.VAR_POSITIONAL for each in arguments)
    names = [each.name for each in arguments]

    def warned(*given: Any, **named: Any) -> Any:
        with WarningOnce():
            return answered(*given, **named)

    def answered(*given: Any, **named: Any) -> Any:
        found = answer(*given, **named)
        results = found if isinstance(found, list) else [found]  # by several metrics
        if "observer" not in named and results and hasattr(results[0], "warnings"):
            allow = named.get("allow") or ()
            allowed = (allow if isinstance(allow, str) else ",".join(allow)).replace(" ", "").split(",")
            by_name = {**dict(zip(names, given, strict=False)), **named}
            sources = given if is_spread else [by_name[name] for name in _SOURCES if name in by_name]
            skipped = getattr(results[0], "skipped_links", {})
            sides = [each for each in skipped.values() if isinstance(each, dict)]
            counts = sides or [skipped]
            warn_of_skipped([{code: each[code] for code in each if code not in allowed} for each in counts], sources)
            if sides or not any(hasattr(each, "remarks") for each in firsts_of(sources)):
                warn_of_others(dict.fromkeys(remark for each in results for remark in each.warnings), allowed)
        return found

    return warned


def _checked(function: Callable[..., Any], answer: Callable[..., Any], more: More | None) -> Any:
    """Return a function that refuses unknown keywords. ``documented`` gives it a docstring and a signature."""
    arguments = Signature.from_callable(function).parameters.values()
    places = [each.name for each in arguments]
    is_spread = any(each.kind is Argument.VAR_POSITIONAL for each in arguments)

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        if moved := moved_keywords(function.__name__, named):
            source = given[0] if given else named.pop(places[0], None)
            return MOVED_TO[function.__name__](called, moved, source, named)
        spread = Argument.VAR_POSITIONAL
        own = {name for name, _, each in _declared(function) if each is None or each.kind is not spread}
        if unknown := [name for name in named if name not in own]:
            names = own if more is None else own | more().keys()
            for name in unknown:
                if name not in names:
                    new = new_keyword(function.__name__, name)
                    if new is None or new in named or new not in names:
                        raise unknown_keyword(name, names, function.__name__)
                    named[new] = named.pop(name)
        if named.get("config") is not None:
            for filled in WITH_CONFIG:
                named = filled(function.__name__, given, named, own if more is None else own | more().keys())
        by_name = {**dict(zip(places, given, strict=False)), **named}
        refuse_a_second_reading(given if is_spread else [by_name[name] for name in _READ if name in by_name])
        return answer(*given, **named)

    called.streams = function  # type: ignore[attr-defined]
    called.more = more  # type: ignore[attr-defined]
    return called


def documented(value: Any) -> Any:
    """Give a task, or the methods of a class, the docstring and the signature of its declaration; return it.

    Programs that only run a task do not wait for its documentation: the package asks for it when a name is first used.
    """
    inner = vars(value).values() if isinstance(value, type) else (getattr(value, "each", None),)
    for each in (value, *inner):
        if hasattr(each, "streams") and not hasattr(each, "__signature__"):
            further = [known for name, known in parameters_of(each).items() if name not in parameters_of(each.streams)]
            each.__doc__ = _with_arguments(each.streams, further)
            each.__signature__ = _signature(each.streams, getattr(each, "whole", None), further)
    return value


def refuse_a_second_reading(sources: Iterable[Any]) -> None:
    """Raise UsageError if paths and lists of paths name standard input twice: the second time it would be empty."""
    several = [each if isinstance(each, list) else [each] for each in sources]
    named = sum(isinstance(one, str) and one == STANDARD_INPUT for each in several for one in each)
    if named > 1:
        raise UsageError(
            f"- is named {named} times, and standard input can be read only once: save it to a file, and name the file"
        )


def unknown_keyword(name: str, known: Iterable[str], task: str) -> UsageError:
    """Return the error for a keyword that a task does not have. It names the nearest."""
    meant = {each: each for each in sorted(known)}
    meant |= {old: new for old, new in old_keywords(task).items() if new in meant}
    near = nearest(name, meant)
    return UsageError(f"no keyword {name}; {f'did you mean {meant[near]}' if near else 'see help() for the keywords'}")


def require_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise UsageError if a value is none of the choices."""
    if value not in choices:
        raise UsageError(option=name, value=value, allowed=choices)


# --- the declaration, read from the signature ---------------------------------------------------------------------


def parameters_of(function: Any) -> dict[str, Parameter]:
    """Return the declared parameters of a task, by name: its own, then the shared ones."""
    found = {}
    for name, annotation, argument in _declared(getattr(function, "streams", function)):
        about = next((each for each in getattr(annotation, "__metadata__", ()) if isinstance(each, About)), None)
        if about is not None:
            kind = _evaluated(annotation.__origin__, "temporacle")
            found[name] = _parameter(name, kind, about, argument)
    more = getattr(function, "more", None)
    return found if more is None else found | {name: each for name, each in more().items() if name not in found}


def shared_parameters(options: Any) -> dict[str, Parameter]:
    """Return the parameters that the keys of a TypedDict declare."""

    def shares(**shared: Any) -> None: ...

    shares.__annotations__["shared"] = Annotated[Any, options]
    return parameters_of(shares)


def _parameter(name: str, kind: Any, about: About, argument: Argument | None) -> Parameter:
    default = about.default if argument is None else argument.default
    if argument is None and default is None and bool in _members(kind) and type(None) not in _members(kind):
        default = False
    is_positional = argument is not None and argument.kind is Argument.POSITIONAL_OR_KEYWORD
    is_positional = about.place == "argument" or (is_positional and about.place != "option")
    members = [each for each in _members(kind) if each is not type(None)]
    if argument is not None and argument.kind is Argument.VAR_POSITIONAL:
        return Parameter(name, about, str, Argument.empty, is_many=True, is_positional=True, is_spread=True)
    if is_positional:
        is_many = (about.value or "").rstrip("]").endswith("...")
        return Parameter(name, about, str, default, is_many, is_positional=True)
    many = [each for each in members if getattr(get_origin(each), "__name__", "") in {"Sequence", "Iterable", "list"}]
    if many:
        inner = _parameter(name, get_args(many[0])[0], about, None)
        return replace(inner, default=default, is_many=True)
    plain = [each for each in members if each in (bool, int, float, str)]
    single = str if about.choices or about.parse or str in plain or not plain else plain[0]
    if about.parse is float_of_seconds:
        single = float
    unset = single is bool and type(None) in _members(kind)
    return Parameter(name, about, single, default, may_be_unset=unset)


def float_of_seconds(text: str | float) -> float:
    """Return the seconds of a time limit: 90, 1m or 1h.

    >>> float_of_seconds("90"), float_of_seconds("1.5m"), float_of_seconds("1h")
    (90.0, 90.0, 3600.0)
    """
    text = str(text)
    unit = {"s": 1, "m": 60, "h": 3600}.get(text[-1:].lower())
    try:
        found = float(text if unit is None else text[:-1]) * (unit or 1)
    except ValueError:
        found = -1
    if not found >= 0:
        raise UsageError(f"{text!r} is not a time: give seconds, minutes or hours, such as 90, 1m or 1h")
    return found


def _members(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the type itself."""
    if get_origin(kind) is Annotated:
        return _members(kind.__origin__)
    arguments = get_args(kind)
    name = getattr(get_origin(kind), "__name__", "")
    return tuple(member for each in arguments for member in _members(each)) if name in _UNIONS else (kind,)


_UNIONS = {"Union", "UnionType"}


class _Missing:
    """Stands for a type that is imported for type checkers only."""

    def __class_getitem__(cls, _item: object) -> type[_Missing]:
        return cls


class _Names(dict[str, Any]):
    """The names of a module; types that it imports for type checkers only are there, too."""

    def __missing__(self, name: str) -> Any:
        import builtins
        import typing

        if name.startswith("__"):  # a debugger asks for its own marks
            raise KeyError(name)
        for module in (builtins, typing):
            if hasattr(module, name):
                return getattr(module, name)
        return _named(name)


def _evaluated(annotation: Any, module: str) -> Any:
    if hasattr(annotation, "__forward_arg__"):
        module, annotation = annotation.__forward_module__ or module, annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    return eval(annotation, {}, _Names(vars(sys.modules[module])))  # noqa: S307 - an annotation of this program


@cache
def _declared(function: Callable[..., Any]) -> list[tuple[str, Any, Argument | None]]:
    """Return the name, annotation and argument of each parameter; shared ones have no argument of their own."""
    found: list[tuple[str, Any, Argument | None]] = []
    for argument in Signature.from_callable(function).parameters.values():
        annotation = _evaluated(argument.annotation, function.__module__)
        if argument.kind is not Argument.VAR_KEYWORD:
            found.append((argument.name, annotation, argument))
            continue
        shared = getattr(annotation, "__metadata__", None) or get_args(annotation)  # Annotated[Any, ...] or Unpack[...]
        shared = shared[0]
        for name, each in shared.__annotations__.items():
            found.append((name, _evaluated(each, shared.__module__), None))
    return found


def _signature(function: Callable[..., Any], whole: str | None, further: Iterable[Parameter]) -> Signature:
    """Return the signature as callers see it: shared options are keywords, and types are named as they are written.

    What only the program itself gives, and options that another function has now, are left out.
    """
    known = parameters_of(function)
    arguments = []
    for name, annotation, argument in _declared(function):
        if name in FOR_THE_PROGRAM or (name in known and known[name].about.hidden):
            continue
        if argument is None:
            argument = Argument(name, Argument.KEYWORD_ONLY, default=known[name].default)  # noqa: PLW2901
        arguments.append(argument.replace(annotation=_as_written(argument.annotation, annotation)))
    for each in further:
        name = f"{each.type.__name__} | Sequence[{each.type.__name__}]" if each.is_many else each.type.__name__
        arguments.append(
            Argument(each.name, Argument.KEYWORD_ONLY, default=each.default, annotation=_named(f"{name} | None"))
        )
    answer = _named(whole or function.__annotations__.get("return", "None"))
    return Signature(arguments, return_annotation=answer)


def _as_written(raw: Any, annotation: Any) -> type:
    """Return a type as the declaration writes it, without what is said about it."""
    if isinstance(raw, str) and not (raw.isidentifier() and hasattr(annotation, "__metadata__")):
        return _named(re.sub(r"(?s)^Annotated\[(.*?), About\(.*", r"\1", raw))
    members = _members(getattr(annotation, "__origin__", annotation))
    shown = [getattr(each, "__forward_arg__", each) for each in members]
    names = [each if isinstance(each, str) else formatannotation(each) for each in shown]
    return _named(" | ".join("None" if each == "NoneType" else each for each in names))


def _named(text: str) -> type:
    """Return a type that a signature shows as a text, without quotation marks."""
    return type(text, (_Missing,), {"__module__": "builtins"})


def _with_arguments(function: Callable[..., Any], further: Iterable[Parameter]) -> str:
    """Return the docstring, in Google style, with the declared parameters first among its arguments."""
    inner = rf"(?m)^    (?:{'|'.join(FOR_THE_PROGRAM)}): .*\n(?:     .*\n)*"
    text = re.sub(inner, "", cleandoc(function.__doc__ or ""))
    entries = [
        f"    {each.name}: {each.text(lambda name: f'``{name}``')}\n"
        for each in (*parameters_of(function).values(), *further)
        if not each.about.hidden
    ]
    section = re.search(r"^(?:Args:\n|(?=Returns:|Raises:|Examples:|>>> ))", text, re.MULTILINE)
    before, after = (text[: section.start()], text[section.end() :]) if section else (f"{text}\n\n", "")
    apart = "" if after.startswith(("    ", "\n")) else "\n"
    return f"{before}Args:\n{''.join(entries)}{apart}{after}\n"

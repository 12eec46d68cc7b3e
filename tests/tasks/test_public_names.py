"""What ``import temporacle as tp`` offers."""

import importlib
import inspect
import re
import subprocess
import sys

import pytest

import temporacle as tp
from temporacle.corpus.options import ReadingFiles

FUNCTIONS = {
    "agree",
    "agreement",
    "apply",
    "ask",
    "assess",
    "assess_all",
    "audit",
    "audit_claims",
    "bounds",
    "check",
    "compare",
    "crosscheck",
    "decode",
    "diff",
    "each",
    "entails",
    "fix",
    "report",
    "report_comparison",
    "read",
    "read_corpus",
    "write",
    "convert",
    "repair",
    "closure",
    "reduce",
    "verify",
    "score",
    "stats",
    "official",
    "official_score",
    "load_reading",
    "read_value",
    "date",
}
CLASSES = {
    "Oracle", "Relation", "Document", "Entity", "LabelSet", "Link", "Kind", "Reading", "Verdict", "Consistent",
    "Inconsistent", "Undecided", "Remark", "Unreadable", "Budget", "TemporacleError", "UsageError", "InputError",
    "InputWarning", "LabelError", "BudgetExceeded", "InternalError", "ContradictionError", "Session", "Assessment",
    "Runs",
}  # fmt: skip


def test_dir_shows_the_api_and_nothing_else():
    assert set(dir(tp)) == FUNCTIONS | CLASSES == set(tp.__all__)


@pytest.mark.parametrize("name", sorted(FUNCTIONS | CLASSES))
def test_every_name_is_there_and_documented(name):
    value = getattr(tp, name)
    assert inspect.isclass(value) if name in CLASSES else inspect.isfunction(value)
    assert value.__doc__


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_job_says_what_its_parameters_mean_and_has_an_example(name):
    function = getattr(tp, name)
    assert ">>>" in function.__doc__
    for parameter in inspect.signature(function).parameters.values():
        said = re.search(rf"``{parameter.name}``|\n +\*{{0,2}}{parameter.name}: ", function.__doc__)
        assert said or (parameter.kind is inspect.Parameter.VAR_KEYWORD and "``during``" in function.__doc__), parameter


def test_options_of_metrics_are_in_signature_and_docstring():
    for name, option in {"score": "convention", "compare": "vague", "agree": "missing", "official": "mode"}.items():
        function = getattr(tp, name)
        assert inspect.signature(function).parameters[option].default is None
        assert f"\n    {option}: " in function.__doc__


SECTIONS = ("Args:", "Returns:", "Raises:", "Examples:")


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_docstrings_of_functions_are_in_google_style(name):
    document = inspect.getdoc(getattr(tp, name))
    assert [line for line in document.splitlines() if line in SECTIONS] == list(SECTIONS)
    assert "docs/" not in document


@pytest.mark.parametrize("name", sorted(FUNCTIONS | {"Oracle", "Session"}))
def test_signatures_show_no_internals(name):
    value = getattr(tp, name)
    shown = str(inspect.signature(value))
    assert not re.findall(r" at 0x|temporacle\.|collections\.abc|ForwardRef|Annotated|observer|SILENT", shown)
    assert "observer" not in inspect.getdoc(value)


@pytest.mark.parametrize("kind", [tp.Oracle, tp.Session])
def test_classes_say_what_they_are_made_from(kind):
    document = inspect.getdoc(kind)
    assert [line for line in document.splitlines() if line in SECTIONS] == ["Args:", "Raises:", "Examples:"]
    own = [name for name in inspect.signature(kind).parameters if name not in ReadingFiles.__annotations__]
    assert len(own) > 4
    assert all(f"\n    {name}: " in document for name in own)


@pytest.mark.parametrize("kind", [getattr(tp, name) for name in sorted(CLASSES)])
def test_methods_say_what_they_take_and_return(kind):
    internal = {"follow"}  # for copies of a session in other processes
    own = {
        name: value
        for each in kind.mro()
        if each.__module__.startswith("temporacle")
        for name, value in vars(each).items()
    }
    for name, value in own.items():
        function = getattr(value, "__func__", value)
        if (
            name.startswith("_")
            or name in internal
            or not (inspect.isfunction(function) or isinstance(value, property))
        ):
            continue
        assert value.__doc__, name
        if inspect.isfunction(function):
            taken = [each for each in inspect.signature(function).parameters if each not in {"self", "cls"}]
            document = inspect.getdoc(function)
            assert all(re.search(rf"^ +\*?{each}: ", document, re.MULTILINE) for each in taken), name
            sections = [line for line in document.splitlines() if line in SECTIONS]
            assert sections == [each for each in SECTIONS if each in sections], name
            assert ("Args:" in sections) == bool(taken), name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        tp.nonsense  # noqa: B018


def test_importing_loads_nothing_heavy():
    script = (
        "import sys, temporacle; dir(temporacle); heavy = 'numpy', 'pandas', 'ortools', 'lxml', 'temporacle.tasks';"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_function_keeps_its_name_when_a_module_of_that_name_is_imported():
    """``temporacle.audit`` is also a package."""
    script = (
        "import temporacle.audit, temporacle as tp;"
        "from temporacle.audit import judge; from temporacle import audit;"
        "print(callable(tp.audit), callable(audit), sys.modules['temporacle.audit'].judge is judge)"
    )
    done = subprocess.run([sys.executable, "-c", "import sys;" + script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "True"]
    assert inspect.ismodule(importlib.import_module("temporacle.audit"))

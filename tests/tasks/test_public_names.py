"""What ``import temporacle as tp`` offers."""

import importlib
import inspect
import subprocess
import sys

import pytest

import temporacle as tp

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
    "Oracle", "Relation", "Document", "Entity", "Link", "Kind", "Reading", "Verdict", "Consistent", "Inconsistent",
    "Undecided", "Remark", "Unreadable", "Budget", "TemporacleError", "UsageError", "InputError", "InputWarning",
    "LabelError", "BudgetExceeded", "InternalError", "ContradictionError", "Session", "Assessment", "Runs",
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
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD or name == "each":
            assert f"``{parameter.name}``" in function.__doc__, parameter.name
        else:
            assert "``during``" in function.__doc__ or f"``{parameter.name}``" in function.__doc__


@pytest.mark.parametrize("kind", [tp.Oracle, tp.Session])
def test_every_question_to_an_oracle_or_session_is_documented(kind):
    assert all(getattr(kind, name).__doc__ for name, _ in inspect.getmembers(kind) if not name.startswith("_"))


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

"""A bounded run of every fuzz target; the long one is ``make fuzz``."""

import sys
from importlib import import_module
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.mutate import variant
from fuzz.seeds import seeds
from fuzz.targets import TARGETS, check_certificate

EDITED = {name: 40 for name in TARGETS if name.startswith("edit-")}  # each reads its file many times
INPUTS = {**EDITED, "certificate": 400, "graph": 60, "read-tempeval2": 60, "read-estonian": 60}


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_do_no_harm(name):
    assert seeds(name)
    for data in seeds(name):
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_mutated_samples_do_no_harm(name):
    rng = Random(name)
    for _ in range(INPUTS.get(name, 200)):
        data = variant(rng, name, seeds(name))
        try:
            TARGETS[name](data)
        except Exception as error:
            raise AssertionError(f"{name}: {data!r}") from error


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "graph"])
@settings(max_examples=30)
@given(data=st.binary(max_size=60))
def test_any_bytes_do_no_harm(name, data):
    TARGETS[name](data)


def test_the_certificate_target_sees_a_wrong_certificate(monkeypatch):
    """Were the checker to accept anything, the target would notice."""
    import json

    wrong = next(data for data in seeds("certificate") if b'"claim": "consistent"' in data)
    record = json.loads(wrong)
    record["links"].append({**record["links"][0], "relation": ["bi"]})
    monkeypatch.setattr(import_module("temporacle.checker"), "verify", lambda text: record)
    with pytest.raises(AssertionError, match="wrong certificate"):
        check_certificate(wrong)

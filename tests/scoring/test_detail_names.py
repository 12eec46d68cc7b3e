"""How tables of details name relations."""

from __future__ import annotations

import pytest

import temporacle as tp
from temporacle.scoring.tally import LabelNames


@pytest.mark.parametrize(
    ("text", "reading", "shown"),
    [
        ("a\tb|m|fi\tb\n", None, "b|m|fi"),
        ("a\tm|b\tb\n", None, "b|m"),
        ("a\tb\tb\n", None, "BEFORE"),
        ("a\tb\tb\n", "allen", "b"),
        ("a\tdi\tb\n", "allen", "di"),
        ("a\tcontains\tb\n", "allen", "CONTAINS"),
    ],
)
def test_labels_where_there_are_some_and_atoms_as_atoms_are_written(tmp_path, text, reading, shown):
    path = tmp_path / "d.tsv"
    path.write_text(text, encoding="utf-8")
    document = tp.read(path, labels=reading)
    assert LabelNames([document]).of(int(document.links[0].relation)) == shown

"""Errors as answers, and names of documents in addresses, without a server."""

import asyncio
import json

import pytest

from temporacle.errors import BudgetExceeded, InputError, InternalError, UsageError
from temporacle.workbench.corpus import Entry, Listing
from temporacle.workbench.http import told


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UsageError("no such link"), 400),
        (InputError("not XML", path="d.tml", line=3), 400),
        (BudgetExceeded("10 s are over"), 503),
        (InternalError("a computed model breaks the links"), 500),  # no fault of the request
        (RuntimeError("odd"), 500),
    ],
)
def test_an_error_is_answered_with_its_status_and_a_sentence(error, status, capsys):
    answer = asyncio.run(told(None, error))
    assert answer.status_code == status
    assert json.loads(answer.body)["error"]
    assert (status == 500) == (str(error) in capsys.readouterr().err)


def test_documents_of_one_name_get_different_ids():
    listing = Listing()
    for name in ("d", "d~2", "d", "d", "", "d~2", "d"):
        listing._add(Entry(name, name, "", "consistent"))
    assert listing.decided == ["d", "d~2", "d~3", "d~4", "~2", "d~2~2", "d~5"]

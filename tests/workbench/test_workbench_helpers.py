"""Questions of the workbench in processes: the same answers as here, and an end to those that take too long."""

import http.client
import json
import random
import time

import pytest
from workbench_runs import SECONDS, of, running

import temporacle as tp
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.runner.copies import Wanted
from temporacle.workbench.bench import Helpers
from temporacle.workbench.document import Changes, OpenDocument, asked_here

LABELS = ("BEFORE", "AFTER", "INCLUDES", "SIMULTANEOUS")


class NoLog:
    """A journal that is not written."""

    records = ()

    def write(self, *records):
        """Write nothing."""


@pytest.fixture
def helpers():
    found = Helpers(SECONDS)
    yield found
    found.close()


def drawn(rng, size=7):
    names = [f"e{number}" for number in range(size)]
    return [(*rng.sample(names, 2), rng.choice(LABELS)) for _ in range(rng.randint(size, 2 * size))]


def opened(rng, helpers=None):
    links = [(source, label, target) for source, target, label in drawn(rng)]
    found = OpenDocument(tp.read({"d": links}), "0", NoLog(), SECONDS)
    if helpers is not None:
        found.ask = helpers.ask
    return found


def step(rng, document):
    """Return a random request to a document, as the name of a method and its arguments."""
    links = document.session.document.links
    entities = document.session.document.entity_ids
    source, target = rng.sample(entities, 2)
    change = rng.choice(
        [
            Changes(add=((source, rng.choice(LABELS), target),)),
            *([Changes(remove=(rng.choice(links).id,))] if len(links) > 3 else []),
            Changes(relabel={rng.choice(links).id: rng.choice(LABELS)}),
        ]
    )
    asked = [
        ("view",),
        ("pair", source, target, ()),
        ("repair",),
        ("judge", change),
        ("edit", change),
        ("edit", change),
    ]
    asked += [("undo",)] * bool(document.session.undo_count) + [("redo",)] * bool(document.session.redo_count)
    return rng.choice(asked)


def test_processes_answer_as_this_one_does(helpers):
    """Two documents in turn, edited and asked at random, while their processes are killed now and then."""
    rng = random.Random(35)
    pairs = []
    for seed in range(2):
        here, there = opened(random.Random(seed)), opened(random.Random(seed), helpers)
        pairs.append((here, there))
    for number in range(160):
        here, there = rng.choice(pairs)
        name, *arguments = step(rng, here)
        if number % 23 == 22:
            while helpers._questions._idle:
                helpers._questions._end(helpers._questions._idle.pop())
        if number % 11 == 10:
            helpers._questions._idle.reverse()  # another process, with an older copy or none
        answers = [json.dumps(getattr(each, name)(*arguments), sort_keys=True) for each in (here, there)]
        assert answers[0] == answers[1], (number, name, arguments)


def test_a_wrong_question_costs_no_copy(helpers):
    document = opened(random.Random(1), helpers)
    document.view()
    with pytest.raises(UsageError):
        document.pair("e0", "e0", ())
    sent = []
    plain = helpers._sent
    helpers._sent = lambda call: sent.append(call) or plain(call)
    document.repair()
    assert [isinstance(call.args[0], int) for call in sent] == [True]


def asleep(_session):
    time.sleep(10 * SECONDS)


def hungry(_session):
    return {"size": len(bytearray(64 << 30))}


def test_time_memory_and_a_client_that_has_gone(helpers):
    document = opened(random.Random(2), helpers)
    helpers._seconds = 0.01
    with pytest.raises(BudgetExceeded, match="time limit"):
        document.ask(document.session, asleep)
    helpers._seconds = SECONDS
    with pytest.raises(BudgetExceeded, match="memory"):
        document.ask(document.session, hungry)
    gone = Wanted()
    gone.give_up()
    helpers.wanted.set(gone)
    with pytest.raises(BudgetExceeded):
        document.ask(document.session, asleep)
    helpers.wanted.set(None)
    assert document.view()["verdict"] in {"consistent", "inconsistent"}


def test_an_edit_stays_if_its_judgement_is_ended(helpers):
    document = opened(random.Random(3), helpers)
    before = len(document.session.document.links)
    helpers.close()  # every question fails from here on
    answer = document.edit(Changes(add=(("e0", "BEFORE", "e1"),)))
    assert (answer["verdict"], answer["unsaved"]) == ("undecided", 1)
    view = document.view()
    assert len(view["links"]) == before + 1
    assert (view["verdict"], view["conflicts"], view["timeline"]) == ("undecided", [], None)
    assert view["unfinished"]
    document.ask = asked_here
    assert document.view()["verdict"] != "undecided"


HARD = "from temporacle.editing.session import Session\nimport time\nSession.pair = lambda *_, **__: time.sleep(600)"


@pytest.mark.slow
def test_clients_that_leave_do_not_delay_others(tmp_path):
    """Twenty clients ask what takes ten minutes and leave; the next one is answered."""
    (tmp_path / "d.tsv").write_text("source\trelation\ttarget\na\tBEFORE\tb\nb\tBEFORE\tc\n")
    (tmp_path / "other.tsv").write_text("source\trelation\ttarget\na\tBEFORE\tb\n")
    patch = tmp_path / "patch"
    patch.mkdir()
    (patch / "sitecustomize.py").write_text(
        "import sys\nif 'temporacle.runner.processes' in ' '.join(sys.orig_argv):\n"
        + "".join(f"    {line}\n" for line in HARD.splitlines())
    )
    first = f"import os; os.environ['PYTHONPATH'] = {str(patch)!r} + ':' + os.environ['PYTHONPATH']"
    with running(tmp_path / "d.tsv", tmp_path / "other.tsv", "--time-limit", "600", first=first) as bench:
        for number in range(20):
            connection = http.client.HTTPConnection(bench.place, timeout=2)
            connection.request(
                "GET", of("d", "pair", source="a", target="c"), headers={"Authorization": f"Bearer {bench.token}"}
            )
            if number:
                time.sleep(0.05)
            else:
                with pytest.raises(TimeoutError):  # it does take long
                    connection.getresponse()
            connection.close()
        assert bench.get(of("other"))["verdict"] == "consistent"
        assert bench.get(of("d"))["verdict"] == "consistent"
        assert bench.end()[0] == 0

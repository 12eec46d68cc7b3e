"""Synthetic documents: a hidden model, and links between entities that stand near each other in the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.model import Link
from temporacle.relation import ATOMS, Relation, atom_holding

if TYPE_CHECKING:
    from random import Random


def local_links(
    rng: Random, entities: int, links: int, *, window: int = 6, disjunctions: int = 0, errors: int = 0
) -> list[Link]:
    """Consistent links but for ``errors`` of them; ``disjunctions`` of them allow two atoms more than the true one."""
    starts = [rng.randrange(4 * entities) for _ in range(entities)]
    model = [(start, start + rng.randint(1, 20)) for start in starts]
    result = []
    while len(result) < links:
        source = rng.randrange(entities)
        target = source + rng.randint(1, window)
        if target >= entities:
            continue
        relation = Relation.of(atom_holding(model[source], model[target]))
        number = len(result)
        if number < disjunctions:
            relation = Relation.of(*relation.atoms, *rng.sample(ATOMS, 2))
        elif number < disjunctions + errors:
            relation = Relation.of(rng.choice(ATOMS))
        result.append(Link(f"l{number}", f"e{source}", relation, f"e{target}", label=str(relation)))
    rng.shuffle(result)
    return result


def layered_links(width: int, layers: int) -> list[Link]:
    """Every entity of a layer before every entity of the next."""
    before = Relation.of("b")
    return [
        Link(f"l{layer}.{i}.{j}", f"e{layer}.{i}", before, f"e{layer + 1}.{j}", label="BEFORE")
        for layer in range(layers - 1)
        for i in range(width)
        for j in range(width)
    ]


def as_timeml(links: list[Link], size: int) -> bytes:
    """The links as a TimeML document of about ``size`` bytes, filled up with text."""
    from temporacle.readings import load_reading

    reading = load_reading("timeml")
    entities = sorted({end for link in links for end in (link.source, link.target)})
    instances = "".join(
        f'<MAKEINSTANCE eiid="{name}" eventID="x{name}" tense="PAST" pos="VERB"/>\n' for name in entities
    )
    tlinks = "".join(
        f'<TLINK lid="{link.id}" relType="{reading.label_for(link.relation)}" eventInstanceID="{link.source}"'
        f' relatedToEventInstance="{link.target}"/>\n'
        for link in links
    )
    text = "".join(f'They <EVENT eid="x{name}" class="OCCURRENCE">acted</EVENT> again. ' for name in entities)
    filler = "x" * max(0, size - len(instances) - len(tlinks) - len(text) - 60)
    return f"<TimeML><TEXT>{text}{filler}</TEXT>\n{instances}{tlinks}</TimeML>".encode()

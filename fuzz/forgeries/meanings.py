"""Changes of what a certificate says: entities, links, the claim, times, and values of time expressions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fuzz.forgeries.pools import ENDS, MODS, ODD_NAMES, TYPES, VALUES
from temporacle.relation import ATOMS, Relation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

Json = Any


def _names(certificate: Json) -> list[str]:
    found: set[str] = set()
    for part in (certificate.get("links"), certificate.get("values"), [certificate.get("query")]):
        for each in part if isinstance(part, list) else ():
            if isinstance(each, dict):
                found |= {each[key] for key in ("source", "target", "entity") if isinstance(each.get(key), str)}
    for part in ("witness", "countermodel"):
        if isinstance(certificate.get(part), dict):
            found |= set(certificate[part])
    return sorted(found)


def rename(rng: Random, certificate: Json) -> None:
    """An entity gets another name everywhere, or in one part: an odd one, or that of another entity."""
    names = _names(certificate)
    if not names:
        return
    old = rng.choice(names)
    new = rng.choice(ODD_NAMES) if rng.random() < 0.6 else rng.choice(names)
    suffixes = ("", *ENDS, ".beginPoint", ".endPoint")
    renamed = {old + suffix: new + suffix for suffix in suffixes}
    skipped = {"document", "readings", "format", "claim"}
    if rng.random() < 0.2:
        skipped = set(certificate) - {rng.choice(sorted(certificate))}
    for part in sorted(set(certificate) - skipped):
        certificate[part] = _renamed(certificate[part], renamed)


def _renamed(value: Json, renamed: dict[str, str]) -> Json:
    if isinstance(value, str):
        return renamed.get(value, value)
    if isinstance(value, list):
        return [_renamed(each, renamed) for each in value]
    if isinstance(value, dict):
        return {renamed.get(key, key): _renamed(each, renamed) for key, each in value.items()}
    return value


def change_link(rng: Random, certificate: Json) -> None:
    """A link is reversed, points at itself, gets another relation; or a new one is added at the end."""
    holder = rng.choice(list(_holders(certificate)))
    links = holder["links"]
    if not links or not all(isinstance(link, dict) for link in links):
        return
    link = rng.choice(links)
    atoms = link.get("relation")
    if not isinstance(atoms, list) or not all(isinstance(atom, str) and atom in ATOMS for atom in atoms):
        return
    match rng.randrange(5):
        case 0:
            link["source"], link["target"] = link.get("target"), link.get("source")
            link["relation"] = list(Relation.of(*atoms).converse().atoms)
        case 1:
            link["source"], link["target"] = link.get("target"), link.get("source")
        case 2:
            link["target"] = link.get("source")
        case 3:
            link["relation"] = list(Relation(rng.randrange(1 << 13)).atoms)
        case _:
            links.append({**link, "id": "new", "relation": list(Relation(rng.randrange(1 << 13)).atoms)})
            if rng.random() < 0.5:
                links[-1]["target"] = rng.choice(_names(holder) or ["x"])


def change_claim(rng: Random, certificate: Json) -> None:
    """Another claim with the parts that it takes, as far as they are there."""
    match rng.randrange(5):
        case 0:
            certificate["claim"] = {"entailed": "refuted", "refuted": "entailed"}.get(certificate.get("claim"), "open")
        case 1 if isinstance(certificate.get("query"), dict) and isinstance(certificate["query"].get("relation"), list):
            relation = certificate["query"]["relation"]
            relation[:] = [atom for atom in ATOMS if atom not in relation]
            certificate["claim"] = {"entailed": "refuted", "refuted": "entailed"}.get(certificate.get("claim"), "open")
        case 2 if "countermodel" in certificate and "witness" in certificate:
            certificate["witness"], certificate["countermodel"] = certificate["countermodel"], certificate["witness"]
        case 3 if "witness" in certificate:
            certificate["claim"] = "consistent"
            for part in ("query", "countermodel", "conflict", "proof", "needed"):
                certificate.pop(part, None)
            if "calendar" not in certificate:
                certificate["version"] = 1
        case _:
            if "needed" in certificate:
                certificate["needed"] = None
            elif isinstance(certificate.get("version"), int):
                certificate["version"] = rng.choice((1, 2, 3, 4, 0))


def change_core(rng: Random, certificate: Json) -> None:
    """In a repair by cores: count otherwise, add up less, be sure earlier, or claim more."""
    proof = certificate["proof"]
    counting = [clause for clause, why in proof["clauses"] if why == "count"]
    match rng.randrange(5):
        case 0:
            place = rng.randrange(4)
            rng.choice(proof["counts"])[place] += rng.choice((-1, 1))
        case 1:
            clause = rng.choice(counting)
            del clause[rng.randrange(len(clause) - 1)]
        case 2:
            rng.choice(proof["sure"])[1] -= 1
        case 3:
            del proof["cores"][rng.randrange(len(proof["cores"]))]
        case _:
            certificate["bound"] = str(Fraction(certificate["bound"]) + rng.choice((1, Fraction(1, 2))))


def move_times(rng: Random, certificate: Json) -> None:
    """Times of a model are shifted, spread, exchanged, or two of them made equal."""
    models = [certificate.get("witness"), certificate.get("countermodel")]
    models += certificate["needed"] if isinstance(certificate.get("needed"), list) else []
    models = [model for model in models if isinstance(model, dict) and model]
    if not models:
        return
    model = rng.choice(models)
    if not all(isinstance(times, list) and all(type(time) is int for time in times) for times in model.values()):
        return
    factor, shift = rng.choice((1, 1, 2, 3, 10**6)), rng.choice((0, 1, -1, 5, 10**17, -(10**17)))
    match rng.randrange(4):
        case 0:
            for times in model.values():
                times[:] = [factor * time + shift for time in times]
        case 1:
            one, other = rng.choice(list(model)), rng.choice(list(model))
            model[one], model[other] = model[other], model[one]
        case 2:
            every = [time for times in model.values() for time in times]
            times = rng.choice(list(model.values()))
            if times and every:
                times[rng.randrange(len(times))] = rng.choice(every)
        case _:
            model[rng.choice(("extra", *model))] = rng.choice(([0, 1], [1, 0], [0, 0], [0, 1, 2]))
            if type(certificate.get("unit")) is int and rng.random() < 0.5:
                certificate["unit"] *= 2


def change_value(rng: Random, certificate: Json) -> None:
    """A value of a time expression, or the policy, becomes another; most often with the right constraints."""
    values = certificate.get("values")
    if not isinstance(values, list) or not isinstance(certificate.get("calendar"), dict):
        return
    records = [record for record in values if isinstance(record, dict)]
    if rng.random() < 0.25 or not records:
        certificate["calendar"]["policy"] = rng.choice(("within", "document", "exact"))
    elif rng.random() < 0.15:
        certificate["calendar"]["zone"] = rng.choice((None, "+00:00", "+05:30", "-11:00", "+14:59", "+15:00", "-00:00"))
    else:
        record = rng.choice(records)
        name = rng.choice(("value", "value", "value", "mod", "type", "dct", "fact"))
        pool: tuple[Json, ...] = {"value": VALUES, "mod": MODS, "type": TYPES, "dct": (True, False)}.get(name, (None,))
        if name == "fact":
            entity = record.get("entity")
            pool = (entity, f"{entity}.beginPoint", f"{entity}.endPoint", None)
        record[name] = rng.choice(pool)
    if rng.random() < 0.85:
        for record in records:
            _state_again(record, certificate["calendar"].get("policy"))


def _state_again(record: Json, policy: Json) -> None:
    """Put in what a value says, if the checker has a rule for it. Both checkers see the same, so one can be asked."""
    from temporacle.checker import Rejected
    from temporacle.checker.calendar import constraints_of

    try:
        found = constraints_of(record, policy)
    except (Rejected, AttributeError, KeyError, TypeError):
        return
    if found:
        record["constraints"] = [list(constraint) for constraint in found]


def mend_readings(certificate: Json) -> None:
    """Let the readings say what the links say, so that other rules decide."""
    for holder in list(_holders(certificate)):
        links = holder["links"]
        pairs = {
            (link.get("label"), tuple(link.get("relation") or ()))
            for link in links
            if isinstance(link, dict)
            and isinstance(link.get("label"), str)
            and isinstance(link.get("relation"), list)
            and all(isinstance(atom, str) for atom in link["relation"])
        }
        holder["readings"] = [[label, list(atoms)] for label, atoms in sorted(pairs)]


def _holders(certificate: Json) -> Iterator[dict[str, Json]]:
    """Yield the objects that have links and readings: the certificate, or its sides."""
    for found in (certificate, *certificate.values()):
        if isinstance(found, dict) and isinstance(found.get("links"), list) and "readings" in found:
            yield found

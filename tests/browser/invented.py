"""Invented documents for tests and pictures of the workbench."""

import re
from datetime import date

VALLEY = (
    "Heavy rain [e1:fell] over the upper valley from [t1:Friday evening]. By [t2:Saturday morning] the river had "
    "[e2:risen] above the second mark, and the town [e3:closed] the old bridge. Volunteers [e4:filled] sandbags while "
    "the fire brigade [e5:pumped] water out of the school. At [t3:noon] the dam operator [e6:opened] two gates after "
    "the ministry had [e7:approved] the plan. The water [e8:reached] the market square an hour later. On [t4:Sunday] "
    "the rain [e9:stopped], the river [e10:fell], and engineers [e11:inspected] the bridge before it [e12:reopened] "
    "on [t5:Monday]."
)
VALLEY_LINKS = (
    "t1 BEFORE t2; t2 BEFORE t3; t3 BEFORE t4; t4 IBEFORE t5; e1 BEGUN_BY t1; e2 BEFORE e3; e3 AFTER t2; "
    "e4 SIMULTANEOUS e5; e3 BEFORE e4; e7 BEFORE e6; e6 IS_INCLUDED t3; e8 AFTER e6; e4 AFTER e8; e5 BEFORE t3; "
    "e9 IS_INCLUDED t4; e9 BEFORE e10; e10 BEFORE e11; e11 BEFORE e12; e12 IS_INCLUDED t5; t5 BEFORE t0"
)
VALLEY_FIRST = VALLEY_LINKS.replace("e4 AFTER e8; ", "")
VALLEY_SECOND = (
    VALLEY_FIRST.replace("e2 BEFORE e3", "e2 IBEFORE e3")
    .replace("e4 SIMULTANEOUS e5", "e4 BEFORE e5")
    .replace("e8 AFTER e6", "e8 AFTER t3")
    .replace("e10 BEFORE e11", "e10 INCLUDES e11")
    .replace("e5 BEFORE t3; ", "")
    + "; e7 AFTER e3; e1 BEFORE e9"
)


def timeml(name, marked, links):
    """Return a TimeML file: ``[e1:left]`` marks an event, ``[t1:Monday]`` a time; links are ``e1 BEFORE t1; ...``."""
    events = re.findall(r"\[e(\d+):", marked)
    text = re.sub(r"\[e(\d+):(.*?)\]", r'<EVENT eid="e\1" class="OCCURRENCE">\2</EVENT>', marked)
    text = re.sub(r"\[t(\d+):(.*?)\]", r'<TIMEX3 tid="t\1" type="DATE" value="XXXX">\2</TIMEX3>', text)
    instances = "".join(f'<MAKEINSTANCE eiid="ei{each}" eventID="e{each}" pos="VERB"/>\n' for each in events)
    rows = []
    for number, link in enumerate(links.split("; "), 1):
        source, label, target = link.split()
        first = f'timeID="{source}"' if source[0] == "t" else f'eventInstanceID="ei{source[1:]}"'
        second = f'relatedToTime="{target}"' if target[0] == "t" else f'relatedToEventInstance="ei{target[1:]}"'
        rows.append(f'<TLINK lid="l{number}" relType="{label}" {first} {second}/>\n')
    day = date(2022, 6, 14).isoformat()
    created = f'<TIMEX3 tid="t0" type="DATE" value="{day}" functionInDocument="CREATION_TIME">14 June 2022</TIMEX3>'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<TimeML>\n<DOCID>{name}</DOCID>\n<DCT>{created}</DCT>\n'
        f"<TEXT>{text}</TEXT>\n{instances}{''.join(rows)}</TimeML>\n"
    )


def write_corpus(folder):
    """Write documents of which some contradict themselves."""
    folder.mkdir(parents=True)
    (folder / "valley.tml").write_text(timeml("valley", VALLEY, VALLEY_LINKS))
    names = [
        "airfield",
        "bakery",
        "canal",
        "depot",
        "estuary",
        "foundry",
        "granary",
        "harvest",
        "island",
        "junction",
        "kiln",
        "lighthouse",
        "mill",
    ]
    for number, name in enumerate(names):
        links = VALLEY_FIRST.split("; ")[: 6 + number]
        if number % 6 == 2:
            links.append("t5 BEFORE t2")
        (folder / f"{name}.tml").write_text(timeml(name, VALLEY, "; ".join(links)))
    return folder


def write_annotators(folder):
    """Write the same documents as two annotators see them; return their two folders."""
    first, second = folder / "anna", folder / "ben"
    for place, links in ((first, VALLEY_FIRST), (second, VALLEY_SECOND)):
        place.mkdir(parents=True)
        (place / "valley.tml").write_text(timeml("valley", VALLEY, links))
        (place / "mill.tml").write_text(timeml("mill", VALLEY, "; ".join(links.split("; ")[:6])))
    return first, second

"""Invented documents for tests and pictures of the workbench."""

import re

VALLEY = (
    "Heavy rain [e1:fell] over the upper valley from [t1:Friday evening|2022-06-10TEV]. By [t2:Saturday "
    "morning|2022-06-11TMO] the river had [e2:risen] above the second mark, and the town [e3:closed] the old "
    "bridge. Volunteers [e4:filled] sandbags while the fire brigade [e5:pumped] water out of the school. At "
    "[t3:noon|2022-06-11T12:00] the dam operator [e6:opened] two gates after the ministry had [e7:approved] "
    "the plan. The water [e8:reached] the market square an hour later. On [t4:Sunday|2022-06-12] the rain "
    "[e9:stopped], the river [e10:fell], and engineers [e11:inspected] the bridge before it [e12:reopened] on"
    " [t5:Monday|2022-06-13]."
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


# Short reports of an invented news agency: the day of writing, the text and its links.
NEWS = {
    "hn-20220302-0417": (
        "2022-03-02",
        (
            "The ferry [e1:left] Port Rennick on [t1:Tuesday|2022-03-01] after the harbour master "
            "[e2:cleared] it. An hour later the engine [e3:failed]. A tug [e4:towed] it back, and passengers "
            "[e5:went] ashore before [t2:midnight|2022-03-01T24:00]. The operator [e6:said] on "
            "[t3:Wednesday|2022-03-02] that a pump had [e7:broken]."
        ),
        (
            "e1 IS_INCLUDED t1; e2 BEFORE e1; e3 AFTER e1; e4 AFTER e3; e5 AFTER e4; e5 BEFORE t2; e6 "
            "IS_INCLUDED t3; e7 BEFORE e6; e7 BEFORE e3"
        ),
    ),
    "hn-20220309-0102": (
        "2022-03-09",
        (
            "Voters in Tolland [e1:approved] the new school on [t1:Sunday|2022-03-06]. The council had "
            "[e2:debated] it since [t2:autumn|2021-FA], and [e3:bought] the site in [t3:January|2022-01]. "
            "Building will [e4:begin] in [t4:May|2022-05], the mayor [e5:said]."
        ),
        (
            "e1 IS_INCLUDED t1; e2 BEFORE e1; e3 IS_INCLUDED t3; e2 AFTER t2; e4 IS_INCLUDED t4; e5 AFTER e1;"
            " e5 BEFORE e4"
        ),
    ),
    "hn-20220317-0388": (
        "2022-03-17",
        (
            "Police [e1:arrested] two men after a warehouse in Dorn [e2:burned] on [t1:Monday "
            "night|2022-03-14TNI]. Neighbours had [e3:heard] a van before the alarm [e4:rang]. Firemen "
            "[e5:fought] the blaze until [t2:dawn|2022-03-15TMO], and the roof [e6:collapsed] while they "
            "[e7:worked]."
        ),
        (
            "e2 IS_INCLUDED t1; e1 AFTER e2; e3 BEFORE e4; e4 BEFORE e5; e2 INCLUDES e6; e6 IS_INCLUDED e7; "
            "e5 SIMULTANEOUS e7; e5 BEFORE t2; e6 AFTER t2"
        ),
    ),
    "hn-20220401-0051": (
        "2022-04-01",
        (
            "Marn Steel [e1:reported] a loss for [t1:the first quarter|2022-Q1]. Prices had [e2:fallen] since"
            " [t2:January|2022-01], and a furnace [e3:stood] idle for [t3:two weeks|P2W]. The board [e4:met] "
            "on [t4:Thursday|2022-03-31] and [e5:cut] the dividend."
        ),
        "e1 AFTER e2; e3 SIMULTANEOUS t3; e4 IS_INCLUDED t4; e5 IS_INCLUDED e4; e1 AFTER e5; e2 AFTER t2",
    ),
    "hn-20220412-0230": (
        "2022-04-12",
        (
            "A landslide [e1:blocked] the pass road on [t1:Saturday|2022-04-09]. Crews [e2:cleared] one lane "
            "by [t2:Sunday evening|2022-04-10TEV], but rocks [e3:fell] again and the road was [e4:closed]. It"
            " [e5:reopened] on [t3:Tuesday|2022-04-12]."
        ),
        (
            "e1 IS_INCLUDED t1; e2 AFTER e1; e2 BEFORE t2; e3 AFTER e2; e4 AFTER e3; e5 IS_INCLUDED t3; e5 "
            "AFTER e4; t3 BEFORE t1"
        ),
    ),
    "hn-20220420-0119": (
        "2022-04-20",
        (
            "The orchestra [e1:returned] on [t1:Tuesday|2022-04-19] from a tour that [e2:began] in "
            "[t2:February|2022-02]. It [e3:played] in nine cities and [e4:recorded] an album in Lisse."
        ),
        "e1 IS_INCLUDED t1; e2 IS_INCLUDED t2; e3 AFTER e2; e3 BEFORE e1; e4 BEFORE e1; e4 AFTER e2",
    ),
    "hn-20220503-0477": (
        "2022-05-03",
        (
            "Doctors at Hale [e1:treated] forty people who [e2:ate] at a fair on [t1:Saturday|2022-04-30]. "
            "Most [e3:went] home on [t2:Monday|2022-05-02]. Inspectors [e4:found] the cause the next morning "
            "and [e5:closed] two stalls."
        ),
        "e2 IS_INCLUDED t1; e1 AFTER e2; e3 IS_INCLUDED t2; e4 AFTER t2; e5 AFTER e4; e3 AFTER e1",
    ),
    "hn-20220511-0066": (
        "2022-05-11",
        (
            "Divers [e1:found] the wreck of the Alder, which [e2:sank] in [t1:1911|1911]. The search had "
            "[e3:lasted] [t2:three summers|P3Y], and was [e4:paused] when a storm [e5:damaged] the boat last "
            "[t3:August|2021-08]."
        ),
        "e2 IS_INCLUDED t1; e1 AFTER e3; e4 IS_INCLUDED e3; e5 IS_INCLUDED t3; e4 IAFTER e5; e2 BEFORE e3",
    ),
    "hn-20220526-0345": (
        "2022-05-26",
        (
            "The tunnel drill [e1:broke] through on [t1:Wednesday|2022-05-25], a month after it [e2:hit] "
            "water. Engineers [e3:sealed] the leak in [t2:April|2022-04] and [e4:restarted] the drill on "
            "[t3:9 May|2022-05-09]."
        ),
        (
            "e1 IS_INCLUDED t1; e2 BEFORE e3; e3 IS_INCLUDED t2; e4 IS_INCLUDED t3; e4 AFTER e3; e1 AFTER e4;"
            " e4 BEFORE e2"
        ),
    ),
    "hn-20220602-0290": (
        "2022-06-02",
        (
            "Parliament [e1:passed] the fishing law on [t1:Wednesday|2022-06-01] after it had [e2:failed] "
            "twice. Boats [e3:blocked] the harbour during the vote, and [e4:left] when it was [e5:over]."
        ),
        "e1 IS_INCLUDED t1; e2 BEFORE e1; e3 INCLUDES e1; e4 IAFTER e3; e5 AFTER e1; e4 AFTER e5",
    ),
}


def timeml(name, marked, links, day="2022-06-14"):
    """Return a TimeML file: ``[e1:left]`` marks an event, ``[t1:Monday|2022-06-13]`` a time and its value."""
    events = re.findall(r"\[e(\d+):", marked)
    text = re.sub(r"\[e(\d+):(.*?)\]", r'<EVENT eid="e\1" class="OCCURRENCE">\2</EVENT>', marked)
    text = re.sub(r"\[t(\d+):(.*?)\|(.*?)\]", _time, text)
    instances = "".join(f'<MAKEINSTANCE eiid="ei{each}" eventID="e{each}" pos="VERB"/>\n' for each in events)
    rows = []
    for number, link in enumerate(links.split("; "), 1):
        source, label, target = link.split()
        first = f'timeID="{source}"' if source[0] == "t" else f'eventInstanceID="ei{source[1:]}"'
        second = f'relatedToTime="{target}"' if target[0] == "t" else f'relatedToEventInstance="ei{target[1:]}"'
        rows.append(f'<TLINK lid="l{number}" relType="{label}" {first} {second}/>\n')
    created = f'<TIMEX3 tid="t0" type="DATE" value="{day}" functionInDocument="CREATION_TIME">{day}</TIMEX3>'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<TimeML>\n<DOCID>{name}</DOCID>\n<DCT>{created}</DCT>\n'
        f"<TEXT>{text}</TEXT>\n{instances}{''.join(rows)}</TimeML>\n"
    )


def _time(found):
    number, words, value = found.groups()
    kind = "DURATION" if value[0] == "P" else "DATE"
    return f'<TIMEX3 tid="t{number}" type="{kind}" value="{value}">{words}</TIMEX3>'


def write_corpus(folder):
    """Write documents of which some contradict themselves."""
    folder.mkdir(parents=True)
    (folder / "hn-20220614-0203.tml").write_text(timeml("hn-20220614-0203", VALLEY, VALLEY_LINKS))
    for name, (day, marked, links) in NEWS.items():
        (folder / f"{name}.tml").write_text(timeml(name, marked, links, day))
    return folder


def write_annotators(folder):
    """Write the same documents as two annotators see them; return their two folders."""
    first, second = folder / "anna", folder / "ben"
    for place, links in ((first, VALLEY_FIRST), (second, VALLEY_SECOND)):
        place.mkdir(parents=True)
        (place / "hn-20220614-0203.tml").write_text(timeml("hn-20220614-0203", VALLEY, links))
        (place / "hn-20220614-0310.tml").write_text(
            timeml("hn-20220614-0310", VALLEY, "; ".join(links.split("; ")[:6]))
        )
    return first, second

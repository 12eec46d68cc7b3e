"""What forgeries put in: names, numbers and values that are easy to get wrong."""

ENDS = (".start", ".end")
ODD_NAMES = (
    *("__proto__", "constructor", "toString", "", ".", "a.start", "a.end", "@", "@Z", "query", "\ud800", "0", "null"),
    *("\u00e9", "e\u0301", " a", "a\x00", "start", "end", ".start", "value 0", "\U0001f600", "d.d", "hasOwnProperty"),
)
JUNK = (None, True, False, 0, -1, 1, 2, 1.0, "x", "", "query", [], {}, [0], ["b"], {"x": [0, 1]}, ["value", 0], [[]])
EXTREMES = (10**9, 10**15, 10**15 + 1, -(10**15), 10**18, 10**18 + 1, -(10**18), 10**24, 10**24 + 1, 2**53, 2**53 + 1)
VALUES = (
    *("1998-02-06", "1998-02-30", "1998-W53", "1998-W06-7", "1998-W06-0", "1998-Q4", "1998-H2", "199", "19", "0000"),
    *("000", "00", "9999", "9999-12-31", "1998-02-06T24", "1998-02-06T24:00:00", "1998-02-06T24:01", "2000-02-29"),
    *("1998-02-06T10:30:15.5", "1998-02-06T10+14:30", "1998-02-06T10-1459", "1998-02-06T10Z", "1998-02-06T10+15"),
    *(
        "P1D",
        "P1.5M",
        "P0.000001Y",
        "P999999L",
        "P999999ML",
        "PT1S",
        "PT0.5S",
        "P1WE",
        "P2WE",
        "P1Y6M",
        "P400Y",
        "P401Y",
    ),
    *("P4800M", "PT", "P", "P1", "PT5", "P0D", "P1Q", "P1.1DE", "P1CE", "P1W2D", "FY1998", "1998-SU", "BC0044"),
    *("-0044", "199X", "1998-XX", "1998-02TMO", "1998-02-06TMO", "1998-02-30TMO", "1998T10", " 1998 ", "\u00a01998"),
    *("\ufeff1998", "1998\x1c", "1998\x85", "\u0661998", "1998\n", "19980206", "2000-W00", "2004-W53-7", "P1.0000001D"),
)
MODS = (
    *(None, "", "START", "MID", "END", "BEFORE", "AFTER", "ON_OR_BEFORE", "ON_OR_AFTER", "LESS_THAN", "MORE_THAN"),
    *(
        "EQUAL_OR_LESS",
        "EQUAL_OR_MORE",
        "APPROX",
        "start",
        " end\t",
        "le\u017fs_than",
        "ODD",
        "m\u0131d",
        "mid\x1f",
        "\ufeffEND",
    ),
)
TYPES = (None, "", "DATE", "TIME", "DURATION", "SET", "set", "date ", "\u017fet", "t\u0131me")

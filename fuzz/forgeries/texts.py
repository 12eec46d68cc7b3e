"""Changes of the JSON text of a certificate, and of its bytes. Some of them change nothing that counts."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from fuzz.mutate import mutated

if TYPE_CHECKING:
    from random import Random

NUMBERS = (
    *("-0", "1.0", "1e0", "1E2", "01", "-01", "+1", "1.", ".5", "0x1", "NaN", "Infinity", "-Infinity", "-", "1_0"),
    *("9" * 24, "9" * 25, "9" * 26, "1" + "0" * 24, "1" + "0" * 25, "9" * 400, "9" * 5000, "null", "true", "1 2"),
)
WRONG = (
    *(
        "\ufeff{0}",
        "{0}\x00",
        "{0}x",
        "{0}{0}",
        "[{0}]",
        "{0}\x0b",
        "\u00a0{0}",
        "{0} \n\r\t ",
        "/* */{0}",
        "{0}// ",
        "'{0}'",
    ),
)


def written(rng: Random, certificate: Any, plain: str) -> bytes:
    """Return a certificate as bytes: most often its plain text, sometimes with a change of the text."""
    if rng.random() < 0.8:
        return plain.encode()
    text = json.dumps(certificate, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, 1)))
    match rng.randrange(8):
        case 0:
            text = _with_key_twice(rng, text)
        case 1:
            text = _with_number(rng, text)
        case 2:
            text = rng.choice(WRONG).replace("{0}", text)
        case 3:
            return text.encode(rng.choice(("utf-16", "utf-32", "utf-8-sig", "utf-16-le", "utf-8")), "surrogatepass")
        case 4:
            return mutated(rng, [text.encode("utf-8", "surrogatepass")], largest=100_000)
        case 5:
            text = _with_escapes(rng, text)
        case 6:
            place = rng.randrange(len(text))
            text = (
                text[:place]
                + rng.choice(("[" * 3000, "{" * 50, "\\u0000", "\t", "\x1f", "\x7f", ",", "\ud800"))
                + text[place:]
            )
        case _:
            return text.encode("latin-1", "replace")
    return text.encode("utf-8", "surrogatepass")


def _with_key_twice(rng: Random, text: str) -> str:
    found = rng.choice(list(re.finditer(r'"(\w+)":', text)))
    key = found[1]
    escaped = f"\\u{ord(key[0]):04x}{key[1:]}"
    return f'{text[: found.start()]}"{rng.choice((key, escaped))}": 1, {text[found.start() :]}'


def _with_number(rng: Random, text: str) -> str:
    found = rng.choice(list(re.finditer(r"(?<=[ \[:,\n])-?\d+(?=[,\]}\n])", text)) or [re.search("^", text)])
    return text[: found.start()] + rng.choice(NUMBERS) + text[found.end() :] if found else text


def _with_escapes(rng: Random, text: str) -> str:
    """Letters within strings as escapes: another text for the same value."""
    share = rng.choice((0.01, 0.3))
    return re.sub(
        r"(?<!\\)[a-tv-z](?=[\w.]*\")",
        lambda found: f"\\u{ord(found[0]):04{rng.choice('xX')}}" if rng.random() < share else found[0],
        text,
    )

"""A second TempEval-3 graph, slow and literal, which executes the tables of the written specification as they stand.

The tables are read from the shared folder, so a slip in the project's own transcription of them shows as a difference.
"""

import re
from dataclasses import dataclass, field

OPEN = "OPEN"
UNKNOWN = "?"
FIRST, GAP = 100_000, 1_000
FACT = re.compile(r"compare\((\w+), (\w+)\) is (.)")
EQUALITIES = ("SIMULTANEOUS", "IDENTITY")


def reaches(exits, p, q, closed=frozenset()):
    """By definition: some path that enters no chain twice. ``exits[chain]``: (stamp, (chain, stamp)) of each edge."""
    if p[0] == q[0]:
        return p[1] <= q[1]
    closed |= {p[0]}
    return any(
        reaches(exits, target, q, closed)
        for stamp, target in exits.get(p[0], ())
        if stamp >= p[1] and target[0] not in closed
    )


@dataclass
class Record:
    chain: int = 0
    stamp: int = 0
    left: list = field(default_factory=list)
    right: list = field(default_factory=list)


class SpecTables:
    """The rows of the specification's tables, by section."""

    def __init__(self, page):
        self.both_new = {label: row for names, *row in _rows(page, "### 3.1") for label in names.split(", ")}
        self.edges = {label: row[0] for names, *row in _rows(page, "### 3.3") for label in names.split(", ")}
        self.facts = {
            label: [FACT.fullmatch(fact).groups() for fact in row if fact]
            for names, *row in _rows(page, "## 5.")
            for label in names.split(", ")
            if row[0].startswith("compare(")
        }
        self.placements, self.helpers = {}, {}
        current = None
        for name, case, effect, *_ in [*_rows(page, "### 3.2"), *_rows(page, "### 11.1")]:
            if name and not name.startswith("(p lies"):
                current = name
            if not case:
                continue
            book = self.helpers if "(" in current else self.placements
            for label in current.split("(")[0].split(", "):
                book.setdefault(label, []).append((case, effect))


def _rows(page, heading):
    section = page.split(f"\n{heading}", 1)[1]
    section = re.split(r"\n##", section, maxsplit=1)[0]
    for line in section.splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            cells = [cell.strip().replace("**", "").replace("−", "-") for cell in line.strip("| ").split("|")]
            if line.startswith("| |"):
                cells.insert(0, "")
            if len(cells) > 1 and cells[0] not in {"L", "helper", "label"}:
                cells[0] = re.sub(r" \(11\.1\)", "", cells[0])
                yield [*cells, *[""] * (3 - len(cells))]


class Twin:
    """Sections 2 to 6 word by word; texts are str here."""

    def __init__(self, tables, links):
        self.tables = tables
        self.points, self.counter = {}, 0
        self.exits, self.targets = {}, {}
        self.accepted, self.redundant, self.violated = [], [], []
        for link in links:
            self.insert(*link)

    # --- inserting --------------------------------------------------------------------------------------------------

    def knows(self, x):
        return f"{x}_s" in self.points

    def insert(self, x, y, written):
        if any((x, y) == link[:2] and link[2].startswith(written) for link in self.accepted):
            return
        self.accepted.append((x, y, written))
        label, roles = written.upper(), (x, y)
        if x == y and label not in EQUALITIES:
            self.violated.append((x, y, label))
            if not self.knows(x):
                self.both_new(x, y, label)
            return
        if self.knows(x) and not self.knows(y):
            roles, label = (y, x), twin_inverse(label)
        treated = False
        if not self.knows(roles[1]):
            treated = self.both_new(*roles, label)
        elif not self.knows(roles[0]):
            treated = self.first_new(*roles, label)
        if treated:
            return
        outcome = self.decide(x, y, label)
        if outcome == "added":
            names = self.names(x, y)
            for source, target in _arrows(self.tables.edges[label]):
                self.edge(names[source], names[target])
        else:
            (self.redundant if outcome == "redundant" else self.violated).append((x, y, label))

    @staticmethod
    def names(x, y):
        return {"Xs": f"{x}_s", "Xe": f"{x}_e", "Ys": f"{y}_s", "Ye": f"{y}_e", OPEN: OPEN}

    def both_new(self, x, y, label):
        chain, self.counter = self.counter, self.counter + 1
        names = self.names(x, y)
        cells = self.tables.both_new.get(label) or self.tables.both_new["any other label"]
        for letter, cell in zip(("Xs", "Xe", "Ys", "Ye"), cells, strict=True):
            stamp, left, right = cell.split(", ")
            stamp = re.sub(r"(\d)G", r"\1*G", stamp)
            notes = [[names[w] for w in note.replace("empty", "").strip("[]").split()] for note in (left, right)]
            self.points[names[letter]] = Record(chain, eval(stamp, {"B": FIRST, "G": GAP}), *notes)
        return label in self.tables.both_new

    def first_new(self, x, y, label):
        cases = self.tables.placements.get(label)
        if cases is None:
            return False
        names = self.names(x, y)
        start, end = self.points[names["Ys"]], self.points[names["Ye"]]
        names["d"] = end.stamp - start.stamp
        names["mid"] = start.stamp + names["d"] // 2
        self.run_cases(cases, names)
        return True

    # --- executing cells --------------------------------------------------------------------------------------------

    def run_cases(self, cases, names):
        for case, effect in cases:
            if self.fits(case, names):
                self.run(effect, names)
                return
        raise AssertionError(cases)

    def fits(self, case, names):
        case = re.sub(r"^\d\. (else )?", "", case)
        if case in {"else", "always"}:
            return True
        if ", or " in case:
            return any(self.fits(part, names) for part in case.split(", or "))
        return all(self.condition(part, names) for part in re.split(r", | and ", case))

    def condition(self, text, names):
        start, end = self.points[names["Ys"]], self.points[names["Ye"]]
        if text == "same chain":
            return start.chain == end.chain
        if text == "different chains":
            return start.chain != end.chain
        if text in {"adjacent", "Y adjacent"}:
            return start.chain == end.chain and names["Ye"] in start.right and names["Ys"] in end.left
        if text == "both open":
            return start.left == [OPEN] == end.right
        if found := re.fullmatch(r"([lr])\((\w+)\) (not )?open", text):
            note = self.note(found[1], self.points[names[found[2]]])
            return (note == [OPEN]) is (found[3] is None)
        found = re.fullmatch(r"(\w+) (not )?in ([lr])\((\w+)\)", text)
        return (names[found[1]] in self.note(found[3], self.points[names[found[4]]])) is (found[2] is None)

    @staticmethod
    def note(side, record):
        return record.left if side == "l" else record.right

    def run(self, effect, names):
        for text in _operations(effect):
            self.operate(text, names)

    def record(self, letter, names):
        return self.points.setdefault(names[letter], Record())

    def operate(self, text, names):
        if found := re.fullmatch(r"((?:c\(\w+\) = )+)c\((\w+)\)", text):
            for letter in re.findall(r"\((\w+)\)", found[1]):
                self.record(letter, names).chain = self.record(found[2], names).chain
        elif found := re.fullmatch(r"new chain(?: for (\w+)(?: only)?)?", text):
            letters = {"both": ["Xs", "Xe"], None: ["p"]}.get(found[1], [found[1]])
            for letter in letters:
                self.record(letter, names).chain = self.counter
            self.counter += 1
        elif found := re.fullmatch(r"t\((\w+)\) = (.*)", text):
            self.record(found[1], names).stamp = self.number(found[2], names)
        elif found := re.fullmatch(r"((?:[lr]\(\w+\)(?:, )?)+) empty", text):
            self.set_notes(found[1], [], names)
        elif found := re.fullmatch(r"((?:[lr]\(\w+\) = )+)(.*)", text) or re.fullmatch(r"([lr]\(\w+\)) := (.*)", text):
            if copied := re.fullmatch(r"copy of ([lr])\((\w+)\)", found[2]):
                words = self.note(copied[1], self.record(copied[2], names))
            else:
                words = [names[word] for word in found[2].strip("[]").split()]
            self.set_notes(found[1], words, names)
        elif found := re.fullmatch(r"([lr])\((\w+)\) \+= (\w+)", text):
            self.note(found[1], self.record(found[2], names)).append(names[found[3]])
        elif found := re.fullmatch(r"in ([lr])\((\w+)\) replace the name (\w+) by (\w+)", text):
            note = self.note(found[1], self.record(found[2], names))
            note[:] = " ".join(note).replace(names[found[3]], names[found[4]]).split()
        elif text.startswith("edge"):
            for source, target in _arrows(text.split(" ", 1)[1]):
                self.edge(names[source], names[target])
        elif found := re.fullmatch(r"(\w+) is (\w+)", text):
            self.points[names[found[1]]] = self.points[names[found[2]]]
        elif found := re.fullmatch(r"(\w+)\((\w+)(?:, (\w+))?\)", text):
            inner = {**names, "p": names[found[2]], "q": names.get(found[3])}
            self.run_cases(self.tables.helpers[found[1]], inner)
        else:
            raise AssertionError(text)

    def set_notes(self, places, words, names):
        for side, letter in re.findall(r"([lr])\((\w+)\)", places):
            record = self.record(letter, names)
            if side == "l":
                record.left = list(words)
            else:
                record.right = list(words)

    def number(self, text, names):
        text = re.sub(r"(\d)G", r"\1*G", text)
        scope = {
            "t": lambda p: p.stamp,
            "third": lambda d: d // 3,
            "two_thirds": lambda d: 2 * d // 3,
            "G": GAP,
            "d": names["d"],
            "mid": names["mid"],
        }
        scope |= {
            letter: self.points.get(names[letter]) for letter in ("Xs", "Xe", "Ys", "Ye", "p", "q") if letter in names
        }
        return eval(text, scope)

    def edge(self, a, b):
        chain = self.points[a].chain
        targets = self.targets.setdefault(chain, {})
        if chain not in self.exits:
            self.exits[chain], targets[a] = [a], [b]
            return
        if a not in " ".join(self.exits[chain]):
            self.exits[chain].append(a)
        if a not in targets:
            targets[a] = [b]
        elif b not in " ".join(targets[a]):
            targets[a].append(b)

    # --- asking -----------------------------------------------------------------------------------------------------

    def edges(self):
        return sorted((a, b) for chain, exits in self.exits.items() for a in exits for b in self.targets[chain][a])

    def compare(self, a, b):
        p, q = ((self.points[name].chain, self.points[name].stamp) for name in (a, b))
        if p[0] == q[0]:
            return "=" if p == q else "<" if p < q else ">"
        place = {name: (record.chain, record.stamp) for name, record in self.points.items()}
        exits = {
            chain: [(place[a][1], place[b]) for a in names for b in self.targets[chain][a]]
            for chain, names in self.exits.items()
        }
        up, down = reaches(exits, p, q), reaches(exits, q, p)
        return {(True, True): "=", (True, False): "<", (False, True): ">", (False, False): UNKNOWN}[up, down]

    def decide(self, x, y, label, *, evaluating=False):
        """redundant, violated, added; in evaluation true, false, unknown."""
        words = ("true", "false", "unknown") if evaluating else ("redundant", "violated", "added")
        holds, broken, missing = words
        if not (self.knows(x) and self.knows(y)):
            return missing if evaluating else broken
        names = self.names(x, y)
        if label == "DURING":
            if any(self.compare(names[a], names[b]) != "<" for a, b in (("Xs", "Ys"), ("Xe", "Ye"))):
                return broken
            if self.compare(names["Ys"], names["Xe"]) == "<":
                return holds
            return broken if evaluating else missing
        facts = self.tables.facts.get(label)
        if facts is None:
            return broken
        orders = [(self.compare(names[first], names[second]), wanted) for first, second, wanted in facts]
        if all(order == wanted for order, wanted in orders):
            return holds
        if any(order not in {wanted, UNKNOWN} for order, wanted in orders):
            return broken
        return broken if evaluating and len(facts) == 2 else missing

    def reduced(self):
        gone = self.redundant + self.violated
        return [link for link in self.accepted if link not in gone] + self.violated


def _arrows(text):
    return re.findall(r"(\w+) → (\w+)", text)


def _operations(effect):
    """Cut at semicolons, after remarks in brackets were taken out: those that follow a blank."""
    kept, depth = "", 0
    for index, sign in enumerate(effect):
        if sign == "(" and (depth or effect[index - 1] == " "):
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        elif not depth:
            kept += sign
    return [text.strip() for text in kept.split(";")]


def twin_inverse(label):
    table = {
        "BEFORE": "AFTER",
        "IBEFORE": "IAFTER",
        "BEGINS": "BEGUN_BY",
        "ENDS": "ENDED_BY",
        "INCLUDES": "IS_INCLUDED",
    }
    table |= {inverse: label for label, inverse in table.items()}
    table |= {"IDENTITY": "SIMULTANEOUS", "DURING": "DURING_DURING_INV"}
    return table.get(label, label)

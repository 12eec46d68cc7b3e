"""Relations as clauses: prime implicates against all cubes, rows against the composition table, arrays against both."""

from itertools import combinations, product
from random import Random

import numpy as np
import pytest

from temporacle.reasoner.algebra import ALL, bits, compose, converse
from temporacle.reasoner.disjunctions import encoding
from temporacle.reasoner.disjunctions.completion import Triangles, complete, compose_all, converse_all
from temporacle.reasoner.disjunctions.encoding import (
    ATOM_OF_CODE,
    CODES,
    LOCAL,
    NO_ATOM,
    atoms_of,
    atoms_where,
    broken_rows,
    candidates,
    codes_of,
    follows,
    implicate_clauses,
    implicates,
    open_rows,
    row_clauses,
    rows,
)


@pytest.fixture(autouse=True)
def fresh_tables():
    """Tables are made when first used: each test here makes its own."""
    for table in (
        candidates,
        implicates,
        rows,
        *(each for each in vars(encoding).values() if hasattr(each, "cache_clear")),
    ):
        table.cache_clear()


def prime_implicates(mask):
    """By definition: of all 3^8 clauses, those that follow from the relation, and none of whose parts does."""
    found = set()
    for signs in product((0, 1, -1), repeat=LOCAL):
        clause = tuple(sign * variable for variable, sign in enumerate(signs, 1) if sign)
        parts = [clause[:k] + clause[k + 1 :] for k in range(len(clause))]
        if clause and follows(clause, mask) and not any(follows(part, mask) for part in parts):
            found.add(clause)
    return found


def literals_of_atom(atom):
    """Return the value of every local variable."""
    return tuple(variable if CODES[atom] >> variable - 1 & 1 else -variable for variable in range(1, LOCAL + 1))


def composition_by_rows(first, second):
    """Return the atoms that can hold between i and k, given those of ij and jk, by the rows alone: the twin of
    ``algebra.compose``.
    """
    possible = 0
    for a, b, c in product(range(13), repeat=3):
        if first >> a & 1 and second >> b & 1:
            values = (CODES[a], CODES[b], CODES[c])
            if all(
                any(values[side] >> abs(literal) - 1 & 1 == (literal > 0) for side, literal in enumerate(row))
                for row in rows()
            ):
                possible |= 1 << c
    return possible


def test_atoms_and_codes():
    assert len(ATOM_OF_CODE) == 13
    for atom, code in enumerate(CODES):
        assert ATOM_OF_CODE[code] == atom
        assert all(atoms_where(literal) >> atom & 1 for literal in literals_of_atom(atom))


def test_a_clause_follows_if_every_atom_makes_a_literal_true():
    assert follows((1, 2), ALL)  # start <= start one way or the other
    assert not follows((1,), ALL)
    assert follows((1,), 1)
    assert not follows((), 1)


def test_prime_implicates_are_all_and_only_those():
    rng = Random("implicates")
    for mask in (1, ALL, *(rng.randrange(1, ALL) for _ in range(12))):
        assert set(implicates(mask)) == prime_implicates(mask)
        assert len(implicates(mask)) <= 43


def test_the_implicates_of_a_relation_allow_its_atoms_and_no_others():
    for mask in range(1, ALL + 1, 7):
        allowed = 0
        for code in range(1 << LOCAL):
            if all(any(code >> abs(x) - 1 & 1 == (x > 0) for x in clause) for clause in implicates(mask)):
                assert code in ATOM_OF_CODE
                allowed |= 1 << ATOM_OF_CODE[code]
        assert allowed == mask


def test_unit_propagation_finds_every_value_that_follows_for_a_pair():
    """What prime implicates are for: under any values, each literal that follows stands alone in some clause."""
    rng = Random("propagation")
    for _ in range(150):
        mask = rng.randrange(1, ALL + 1)
        given = {variable: rng.random() < 0.5 for variable in rng.sample(range(1, 9), rng.randint(0, 3))}
        left = mask
        for variable, value in given.items():
            left &= atoms_where(variable if value else -variable)
        known = {variable if value else -variable for variable, value in given.items()}
        before = None
        conflict = False
        while known != before and not conflict:
            before = set(known)
            for clause in implicates(mask):
                open_literals = [literal for literal in clause if -literal not in known]
                conflict = conflict or not open_literals
                if len(open_literals) == 1:
                    known.add(open_literals[0])
        assert conflict == (left == 0)
        if left:
            assert known == {s * v for v in range(1, 9) for s in (1, -1) if not left & ~atoms_where(s * v)}


def test_rows_are_the_composition_table():
    assert len(rows()) == len(set(rows())) == 48
    for a, b in product(range(13), repeat=2):
        assert composition_by_rows(1 << a, 1 << b) == compose(1 << a, 1 << b)


def test_composition_of_arrays():
    rng = Random("arrays")
    first, second = (np.array([rng.randrange(ALL + 1) for _ in range(3000)], np.uint16) for _ in range(2))
    assert compose_all(first, second).tolist() == [
        compose(r, s) for r, s in zip(first.tolist(), second.tolist(), strict=True)
    ]
    assert converse_all(first).tolist() == [converse(r) for r in first.tolist()]


def random_graph(rng, size):
    return [pair for pair in combinations(range(size), 2) if rng.random() < rng.choice((0.2, 0.5, 0.9))]


def test_completions_are_chordal_and_hold_the_graph():
    rng = Random("chordal")
    for size in (0, 1, 2, 5, 9, 14):
        edges = random_graph(rng, size)
        completion = complete(size, edges)
        assert sorted(completion.order) == list(range(size))
        place = {entity: k for k, entity in enumerate(completion.order)}
        pairs = set(completion.pairs())
        assert all((min(place[x], place[y]), max(place[x], place[y])) in pairs for x, y in edges)
        assert all(pair in pairs for _, x, y in completion.triangles() for pair in [(x, y)])  # later ones are a clique
        assert completion.count_triangles() == len(set(completion.triangles()))
        again = complete(size, edges, completion.order)
        assert again == completion
    assert list(bits(0b10110)) == [1, 2, 4]


def test_triangles_as_arrays():
    rng = Random("triangles")
    for size in (0, 1, 3, 8, 12):
        completion = complete(size, random_graph(rng, size))
        triangles = Triangles(completion)
        pairs = list(completion.pairs())
        assert list(zip(triangles.first.tolist(), triangles.second.tolist(), strict=True)) == pairs
        found = [
            (pairs[a], pairs[b], pairs[c]) for a, b, c in zip(*(side.tolist() for side in triangles.sides), strict=True)
        ]
        assert found == [((i, j), (j, k), (i, k)) for i, j, k in completion.triangles()]
        assert len(triangles) == len(found)


@pytest.fixture
def clique():
    return Triangles(complete(5, combinations(range(5), 2)))


def test_clauses_of_many_pairs(clique):
    rng = Random("many pairs")
    labels = np.array([rng.randrange(1, ALL + 1) for _ in range(clique.pairs)], np.uint16)
    bases = np.array(rng.sample(range(0, 800, 8), clique.pairs), np.int32)
    found = [tuple(clause) for clauses in implicate_clauses(bases, labels) for clause in clauses]
    expected = [
        tuple(literal + base if literal > 0 else literal - base for literal in clause)
        for base, mask in zip(bases.tolist(), labels.tolist(), strict=True)
        for clause in implicates(mask)
    ]
    assert sorted(found) == sorted(expected)
    assert list(implicate_clauses(bases[:0], labels[:0])) == []


def test_rows_of_many_triangles(clique):
    rng = Random("many rows")
    labels = np.array(
        [rng.randrange(1, ALL + 1) & rng.randrange(1, ALL + 1) or 1 for _ in range(clique.pairs)], np.uint16
    )
    bases = np.array(rng.sample(range(0, 800, 8), clique.pairs), np.int32)
    atoms = [rng.randrange(13) for _ in range(clique.pairs)]
    values = np.zeros(808, bool)
    for base, atom in zip(bases.tolist(), atoms, strict=True):
        for literal in literals_of_atom(atom):
            values[base + abs(literal) - 1] = literal > 0
    codes = codes_of(values, bases)
    assert codes.tolist() == [CODES[atom] for atom in atoms]
    assert atoms_of(codes).tolist() == atoms
    assert atoms_of(np.array([0], np.uint8)).tolist() == [NO_ATOM]
    wanted, broken = open_rows(labels, clique), broken_rows(codes, clique)
    clauses = [clause for some in row_clauses(clique, bases, np.arange(len(clique)), wanted) for clause in some]
    expected = []
    for number, sides in enumerate(zip(*(side.tolist() for side in clique.sides), strict=True)):
        for k, row in enumerate(rows()):
            sure = any(not int(labels[side]) & ~atoms_where(literal) for side, literal in zip(sides, row, strict=True))
            assert bool(int(wanted[number]) >> k & 1) == (not sure)
            false = not any(atoms_where(literal) >> atoms[side] & 1 for side, literal in zip(sides, row, strict=True))
            assert bool(int(broken[number]) >> k & 1) == false
            if not sure:
                expected.append(
                    [
                        literal + int(bases[s]) * (1 if literal > 0 else -1)
                        for s, literal in zip(sides, row, strict=True)
                    ]
                )
    assert clauses == expected


def test_candidates_are_the_prime_implicates_of_some_relation():
    """Each is one of what it excludes least; short ones come first."""
    lengths = [len(candidate.clause) for candidate in candidates()]
    assert lengths == sorted(lengths)
    for clause, outside, parts in candidates():
        assert outside == ALL & ~sum(1 << atom for atom in range(13) if follows(clause, 1 << atom))
        assert len(parts) == len(clause)
        assert clause in implicates(ALL & ~outside)


def test_candidates_are_few():
    assert len(candidates()) == 105
    assert max(len(candidate.clause) for candidate in candidates()) == 4

"""Links with disjunctions: what the endpoint graph leaves open, decided by a SAT solver on a chordal completion."""

"""Limits on how much a page shows of one thing. The page counts what is left out."""

BARS = 400  # entities of a timeline; a larger picture is of no use
NEIGHBOURS = 14  # entities in the drawing of one disagreement
DISAGREEMENTS = 200  # pairs of one document
NODES = 300  # of a minimal graph
EDGES = 1200
ARROWS = 40  # of a conflict
ROWS = 1000  # of one table of links or remarks
EXPLAINED = 400  # links of one side; each explanation searches the graph
DOCUMENTS = 60  # whose details stand on the page itself; with more, each has a page of its own
CONFLICTS = 20  # of one document
PICTURES = 6  # of conflicts of one document
FACTS = 60  # links and steps of one conflict
CERTIFICATE_BYTES = 8 << 20  # of all certificates on one page; larger ones can be dropped onto it

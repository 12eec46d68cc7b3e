"""Rows of transitivity for a solver: those of chosen triangles, and those that a solution breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from temporacle.errors import InternalError
from temporacle.reasoner.clausearrays import broken_rows, row_clauses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from temporacle.reasoner.cdcl import Cdcl
    from temporacle.reasoner.clausearrays import Codes, RowSets
    from temporacle.reasoner.triangles import Numbers, Triangles


class RowWriter:
    """Writes rows of the triangles of a completion, whose pairs have the given bases."""

    def __init__(self, solver: Cdcl, triangles: Triangles, bases: Numbers) -> None:
        self._solver = solver
        self._triangles = triangles
        self._bases = bases

    def write(self, chosen: NDArray[np.bool_], rows: RowSets) -> None:
        """Write these rows of the chosen triangles."""
        some = np.flatnonzero(chosen)
        self._solver.add_many(row_clauses(self._triangles, self._bases, some, rows[some]))

    def write_broken(self, codes: Codes) -> None:
        """Write the rows that a solution breaks. There must be some, since the solution has a contradiction."""
        broken = broken_rows(codes, self._triangles)
        if not broken.any():
            raise InternalError("a contradiction in a network whose triangles all agree")
        self.write(broken != 0, broken)

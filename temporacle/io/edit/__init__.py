"""The smallest change of a file: links are added, taken out, relabelled or commented, and every other byte stays.

    Edits(drop={"l3"}, relabel={"l4": "AFTER"}, comment={"l5": "re-read this"})     what to do in one document
    Edits(add=[NewLink("ei1", "BEFORE", "ei2")])                                    links to add to it
    changed(source, {"d1": edits})                                                  the new bytes of the file

Each format has an editor (``Format.editor``): a function that finds the places of links in the file's text and returns
what to replace there. Here stands what they share: the edits, and the check that the new file says what the old one
said, but for what was asked.
"""

from __future__ import annotations

from temporacle.io.edit.change import changed, editable
from temporacle.io.edit.edits import NOTE, Edits, NewLink
from temporacle.io.edit.ids import next_id

__all__ = ["NOTE", "Edits", "NewLink", "changed", "editable", "next_id"]

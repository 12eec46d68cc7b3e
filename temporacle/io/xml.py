"""Parsing XML from strangers.

Nothing is fetched, no DTD is loaded, no entity is expanded: a document type that defines entities is refused before
the parser proper sees it, so a bomb of nested entities costs no memory. Every complaint has a line and a column.
"""

from __future__ import annotations

import dataclasses
import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from lxml import etree

from temporacle.errors import spelled
from temporacle.io.formats import BYTE_ORDER_MARKS, looks_like_xml
from temporacle.io.source import Source

if TYPE_CHECKING:
    from temporacle.errors import InputError

_DECLARED = re.compile(rb"""^(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']""")
# Only an XML declaration before the root element, in ASCII: there is no document type.
_PLAIN_START = re.compile(
    rb"""(?:<\?xml version=["']1\.[0-9]["'] ?(?:encoding=["'](?i:utf-8)["'] ?)?\?>)?\s*<[A-Za-z_]"""
)
# Encodings in which markup is spelled with ASCII bytes, so that searching the bytes for "<!DOCTYPE" finds it.
_ASCII_LIKE = re.compile(
    rb"(?i)utf-?8|us-ascii|ascii|iso-?8859-?\d+|latin-?\d|windows-?125\d|cp125\d|gb2312|gbk|euc-.+"
)


def parse(source: Source) -> etree._Element:
    """Return the root element of a source. The tree is reused if recognition has parsed it."""
    if source.tree is not None:
        root: etree._Element = source.tree
        source.tree = None  # a tree takes ten times the memory of its bytes, so it is parsed again when needed
        return root
    data = source.data
    if not data:
        raise source.error("file is empty")
    if not looks_like_xml(data):
        raise not_xml(source)
    encoding = source.options.encoding
    if encoding is not None:  # Python knows more encodings, and more names for them, than the parser does
        return _parse(source, source.decode().encode(), "utf-8")
    try:
        return _parse(source, data, None)
    except etree.XMLSyntaxError as error:
        declared = _DECLARED.match(data)
        if error.code == etree.ErrorTypes.ERR_UNSUPPORTED_ENCODING and declared is not None:
            options = dataclasses.replace(source.options, encoding=declared[1].decode())
            return parse(Source(source.path, data, options))
        raise _located(source, data, error) from None


def _parse(source: Source, data: bytes, encoding: str | None) -> etree._Element:
    suspicious = _may_define_entities(data)
    if suspicious:
        _refuse_entities(source, data, encoding)
    try:
        root = etree.fromstring(data, _parser(encoding))
    except etree.XMLSyntaxError as error:
        if encoding is None:
            raise
        raise _located(source, data, error) from None
    if suspicious and (dtd := root.getroottree().docinfo.internalDTD) is not None:
        for _ in dtd.iterentities():
            raise _entities_refused(source, None)
    return root


def qualified(root: etree._Element, tag: str) -> str:
    """Return the tag as it occurs in this tree: with any namespace if the root uses one.

    Many files declare ``xsi`` for the address of a schema, which no element is in.
    """
    return f"{{*}}{tag}" if root.nsmap.keys() - {"xsi"} else tag


@lru_cache(maxsize=8)
def _parser(encoding: str | None) -> etree.XMLParser:
    """Return a strict parser.

    ``collect_ids=False`` would not be faster, and would make libxml2 read external document types.
    """
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        encoding=encoding,
    )


def not_xml(source: Source) -> InputError:
    """Return the error for a file that should be XML but is not."""
    start = source.data[:400].decode("utf-8", "replace").strip()[:40]
    return source.error(f"not XML: it starts with {start!r}", line=1)


def _may_define_entities(data: bytes) -> bool:
    """Return False if there is certainly no document type. Its bytes cannot be hidden in these encodings."""
    if _PLAIN_START.match(data):
        return False
    start = data.removeprefix(BYTE_ORDER_MARKS[0])[:4]
    if b"<!DOCTYPE" in data or b"\0" in start or not start.isascii():
        return True
    declared = _DECLARED.match(data)
    return declared is not None and _ASCII_LIKE.fullmatch(declared[1]) is None


def _refuse_entities(source: Source, data: bytes, encoding: str | None) -> None:
    """Look into the document type with a parser that stops at the first entity definition."""
    from xml.parsers import expat

    reader = expat.ParserCreate(encoding)

    def entity(*_declaration: object) -> None:
        raise _entities_refused(source, reader.CurrentLineNumber)

    def element(*_start: object) -> None:
        raise _PrologEndError

    reader.EntityDeclHandler = entity
    reader.StartElementHandler = element
    # What is not well-formed, or in an encoding that expat does not know, is left to the parser proper to complain of.
    with suppress(_PrologEndError, expat.ExpatError, LookupError, ValueError):
        reader.Parse(data, True)


class _PrologEndError(Exception):
    """The first element was reached: what follows cannot define entities."""


def _entities_refused(source: Source, line: int | None) -> InputError:
    return source.error(
        "the DOCTYPE defines entities, which are never expanded here", line=line, cure="remove the definitions"
    )


def _located(source: Source, data: bytes, error: etree.XMLSyntaxError) -> InputError:
    """Return the parser's error as an InputError. Bytes that do not fit the encoding get their offset."""
    line, column = error.position
    declared = _DECLARED.match(data)
    encoding = "utf-8" if declared is None or source.options.encoding else declared[1].decode()
    if encoding.lower().startswith(("utf-16", "utf-32", "ucs-")):  # the declaration itself was found in single bytes
        cure = f"give {spelled('encoding', 'utf-8')}, or correct the XML declaration"
        return source.error(f"declared as {encoding}, but its characters are single bytes", line=1, cure=cure)
    try:
        data.decode(encoding)
    except UnicodeDecodeError as wrong:
        return source.error(
            f"byte 0x{data[wrong.start]:02x} at offset {wrong.start} is not {encoding}",
            line=data.count(b"\n", 0, wrong.start) + 1,
            column=wrong.start - data.rfind(b"\n", 0, wrong.start),
            cure=f"give {spelled('encoding')}, or correct the XML declaration",
        )
    except UnicodeError as wrong:
        return source.error(f"cannot be read as {encoding}: {wrong}", line=1, cure=f"give {spelled('encoding')}")
    except LookupError:
        return source.error(f"unknown encoding {encoding!r}", line=1, cure=f"give {spelled('encoding')}")
    reason = re.sub(r", line \d+, column \d+.*$", "", error.msg or "cannot be parsed")
    if "XML_PARSE_HUGE" in reason:  # may be well-formed: a limit that keeps bombs from filling the memory
        reason = f"beyond what is safe to parse: {re.split(', (?:try|use) XML_PARSE_HUGE', reason)[0]}"
        cure = "split the document, or give its links as JSON Lines"
        return source.error(reason, line=line or None, column=column or None, cure=cure)
    hint = "write control characters as blanks: XML 1.0 cannot hold them" if "xmlParseCharRef" in reason else None
    return source.error(f"not well-formed XML: {reason}", line=line or None, column=column or None, cure=hint)


def stated_docid(source: Source) -> str | None:
    """Return the DOCID or DOCNO of a TimeML file; None if it has none."""
    root = parse(source)
    for tag in ("DOCID", "DOCNO"):
        for element in root.iter(qualified(root, tag)):
            if stated := "".join(element.itertext()).strip():
                return stated
    return None

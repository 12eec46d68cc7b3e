import assert from "node:assert/strict";
import { test } from "node:test";
import { T } from "../../temporacle/workbench/static/texts.js";
import { opened } from "./documents.mjs";

const ATOMS = ["b", "m", "o", "fi", "di", "s", "=", "si", "d", "f", "oi", "mi", "bi"];

/**
 * Return every text with its path; those with blanks are functions.
 * @type {(texts: any, path?: string) => [string, string | Function][]}
 */
function leaves(texts, path = "T") {
  return Object.entries(texts).flatMap(([name, value]) =>
    typeof value === "object" ? leaves(value, `${path}.${name}`) : [[`${path}.${name}`, /** @type {any} */ (value)]],
  );
}

test("no text is empty", () => {
  const all = leaves(T);
  assert.ok(all.length > 200);
  for (const [path, value] of all) if (typeof value === "string") assert.notEqual(value.trim(), "", path);
});

test("numbers have the right form of their noun", () => {
  assert.equal(T.corpus.shown(1, 1), "");
  assert.equal(T.corpus.shown(7, 12_345), "7 of 12,345 documents");
  assert.equal(T.links.shown(1, 1), "1 link");
  assert.equal(T.links.shown(1, 2), "1 of 2 links");
  assert.equal(T.document.unsaved(0), "no unsaved edits");
  assert.equal(T.document.unsaved(1), "1 unsaved edit");
  assert.equal(T.threeWay.open(1), "1 choice is still open.");
  assert.equal(T.threeWay.open(2), "2 choices are still open.");
  assert.equal(T.findings.repairAll(1), "Remove this link");
  assert.equal(T.findings.repairAll(3), "Remove all 3 links");
});

test("lists end with 'and'", () => {
  assert.equal(T.listing([]), "");
  assert.equal(T.listing(["l1"]), "l1");
  assert.equal(T.listing(["l1", "l2"]), "l1 and l2");
  assert.equal(T.listing(["l1", "l2", "l3"]), "l1, l2 and l3");
});

test("every verdict has words, and a new one is shown as it is", () => {
  for (const verdict of ["consistent", "inconsistent", "undecided", "unreadable"])
    assert.equal(T.verdict(verdict), verdict);
  assert.equal(T.verdict("pending"), "not checked yet");
  assert.equal(T.verdict("odd"), "odd");
});

test("each of Allen's relations has words of its own", () => {
  const words = ATOMS.map((atom) => T.pair.atom(atom));
  assert.equal(new Set(words).size, 13);
  for (const atom of ATOMS) assert.notEqual(T.pair.atom(atom), atom);
});

test("the answer to an edit says what was done, the verdict and what is new", () => {
  assert.equal(T.edits.answer("removed l1", "consistent", 0, []), "Removed l1. The document is consistent.");
  assert.equal(
    T.edits.answer("added a BEFORE b", "inconsistent", 2, ["l3"]),
    "Added a BEFORE b. The document is inconsistent, with 2 new conflicts; l3 now follows from the other links.",
  );
  assert.equal(
    T.edits.answer("removed l1", "inconsistent", 0, [], 1),
    "Removed l1. The document is inconsistent; 1 conflict is resolved.",
  );
});

test("the verdicts of a corpus are counted in words, without those that do not occur", () => {
  assert.equal(T.corpus.summary({ inconsistent: 1, pending: 0, consistent: 2 }), "1 inconsistent and 2 consistent");
});

test("the facts of a document", () => {
  assert.equal(T.document.facts(opened()), "4 entities, 3 links · tsv · label set links");
});

test("a reason is one sentence, whether or not it ends with a full stop", () => {
  for (const why of ["it is compressed", "it is compressed."])
    assert.equal(
      T.document.exportOnly(why),
      "This document cannot be saved back into its file: it is compressed. Export it instead.",
    );
});

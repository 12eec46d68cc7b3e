import assert from "node:assert/strict";
import { test } from "node:test";
import { kindOf, nameOf } from "../../temporacle/workbench/static/outline.js";
import { link, opened } from "./documents.mjs";

test("the index knows entities, links and what is part of a conflict", () => {
  const { index } = opened({ conflicts: [[link("l1", "a", "BEFORE", "b")]] });
  assert.equal(index.entities.get("d")?.text, "word d");
  assert.equal(index.links.get("l3")?.target, "a");
  assert.deepEqual([...index.conflicted], ["l1"]);
  assert.deepEqual([...index.conflictedEntities], ["a", "b"]);
});

test("an entity is called by its words, or by its id", () => {
  const doc = opened({
    entities: [
      { id: "e1", text: "  left\n the  port " },
      { id: "e2", text: " " },
      { id: "e3" },
      { id: "e4", text: "x".repeat(41) },
    ],
  });
  assert.equal(nameOf(doc, "e1"), "left the port");
  assert.equal(nameOf(doc, "e2"), "e2");
  assert.equal(nameOf(doc, "e3"), "e3");
  assert.equal(nameOf(doc, "e4"), `${"x".repeat(39)}…`);
  assert.equal(nameOf(doc, "nix"), "nix");
});

test("kinds that style sheets know", () => {
  assert.equal(kindOf({ id: "t0", kind: "time", dct: true }), "dct");
  assert.equal(kindOf({ id: "t1", kind: "time" }), "time");
  assert.equal(kindOf({ id: "e1", kind: "event" }), "event");
  assert.equal(kindOf({ id: "x", kind: "signal" }), "unknown");
  assert.equal(kindOf(undefined), "unknown");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chooseConflict,
  chooseEntity,
  chooseLink,
  choosePair,
  clearSelection,
  covered,
  entityMarks,
  NOTHING,
  PLAIN,
  statedLinks,
  stillThere,
} from "../../temporacle/workbench/static/selection.js";
import { createStore } from "../../temporacle/workbench/static/store.js";
import { dice, link, opened } from "./documents.mjs";

const open = (doc = opened()) => createStore({ doc, selection: NOTHING });

test("one entity, then a second one, then a first one again", () => {
  const store = open();
  chooseEntity(store, "a");
  assert.deepEqual(store.state.selection, { ...NOTHING, first: "a" });
  chooseEntity(store, "d");
  assert.deepEqual(store.state.selection, { ...NOTHING, first: "a", second: "d" });
  chooseEntity(store, "b");
  assert.deepEqual(store.state.selection, { ...NOTHING, first: "b" });
});

test("an entity that is chosen twice is not chosen", () => {
  const store = open();
  chooseEntity(store, "a");
  chooseEntity(store, "a");
  assert.deepEqual(store.state.selection, NOTHING);
});

test("a pair with a link chooses the link, in its direction", () => {
  const store = open();
  choosePair(store, "b", "a");
  assert.deepEqual(store.state.selection, { first: "a", second: "b", link: "l1", conflict: null });
});

test("of two links between a pair, the one from the first entity is chosen", () => {
  const store = open(opened({ links: [link("x", "b", "AFTER", "a"), link("y", "a", "BEFORE", "b")], conflicts: [] }));
  choosePair(store, "a", "b");
  assert.equal(store.state.selection.link, "y");
  choosePair(store, "b", "a");
  assert.equal(store.state.selection.link, "x");
});

test("a link of the chosen conflict keeps the conflict, others do not", () => {
  const links = [link("l1", "a", "BEFORE", "b"), link("l2", "b", "BEFORE", "a"), link("l3", "c", "BEFORE", "d")];
  const store = open(opened({ links, conflicts: [links.slice(0, 2)] }));
  chooseConflict(store, 0);
  chooseLink(store, "l2");
  assert.equal(store.state.selection.conflict, 0);
  chooseLink(store, "l3");
  assert.equal(store.state.selection.conflict, null);
});

test("a link that the document does not have changes nothing", () => {
  const store = open();
  chooseLink(store, "l2");
  const before = store.state.selection;
  chooseLink(store, "nix");
  assert.equal(store.state.selection, before);
  clearSelection(store);
  assert.deepEqual(store.state.selection, NOTHING);
});

test("after a change, the selection keeps what is still there", () => {
  const selection = { first: "a", second: "b", link: "l1", conflict: 0 };
  assert.deepEqual(stillThere(selection, opened()), selection);
  const without = opened({ links: [], conflicts: [] });
  assert.deepEqual(stillThere(selection, without), { first: "a", second: "b", link: null, conflict: null });
  const fewer = opened({ entities: [{ id: "b" }], links: [], conflicts: [] });
  assert.deepEqual(stillThere(selection, fewer), NOTHING);
});

test("after a change, a new link between the chosen pair is chosen", () => {
  const doc = opened({ links: [link("n1", "b", "AFTER", "a")], conflicts: [] });
  assert.equal(stillThere({ first: "a", second: "b", link: "l1", conflict: null }, doc).link, "n1");
});

test("links between a pair are found in both directions", () => {
  const doc = opened({ links: [link("x", "b", "AFTER", "a"), link("y", "a", "BEFORE", "b"), link("z", "a", "", "c")] });
  assert.deepEqual(
    statedLinks(doc, "a", "b").map((each) => each.id),
    ["x", "y"],
  );
});

test("what is covered, and how entities are marked, by going through everything", () => {
  const names = ["a", "b", "c", "d", "e"];
  for (let seed = 0; seed < 300; seed++) {
    const roll = dice(seed);
    const pick = () => names[roll(names.length)];
    const links = Array.from({ length: 1 + roll(6) }, (_, place) => link(`l${place}`, pick(), "BEFORE", pick()));
    const conflicts = Array.from({ length: roll(3) }, () => links.filter(() => roll(2)));
    const doc = opened({ entities: names.map((id) => ({ id })), links, conflicts });
    const first = roll(3) ? pick() : null;
    const selection = {
      first,
      second: first !== null && roll(2) ? pick() : null,
      link: roll(2) ? links[roll(links.length)].id : null,
      conflict: conflicts.length && roll(2) ? roll(conflicts.length) : null,
    };
    const chosen = covered({ doc, selection });
    const marks = entityMarks({ doc, selection });
    const conflict = selection.conflict === null ? [] : conflicts[selection.conflict];
    for (const id of names) {
      const isChosen = id === selection.first || id === selection.second;
      const touches = (/** @type {{source: string, target: string}} */ each) =>
        each.source === id || each.target === id;
      const expected = {
        number: id === selection.first ? "1" : id === selection.second ? "2" : "",
        isChosen,
        isOther: !isChosen && conflict.some(touches),
        isConflicted: conflicts.flat().some(touches),
      };
      assert.deepEqual(marks.get(id) ?? PLAIN, expected, `seed ${seed}, ${id}`);
      assert.equal(chosen.entities.has(id), isChosen);
    }
    for (const { id } of links) {
      assert.equal(chosen.links.has(id), id === selection.link);
      assert.equal(chosen.otherLinks.has(id), id !== selection.link && conflict.some((each) => each.id === id));
    }
  }
});

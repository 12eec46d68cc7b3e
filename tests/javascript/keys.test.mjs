import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FakeElement, page } from "./page.mjs";

const { bindKeys } = await import("../../temporacle/workbench/static/keys.js");

/** @type {string[]} */
let done = [];

beforeEach(() => {
  page.listeners.clear();
  page.body.replaceChildren();
  done = [];
});

/** @type {(key: string, more?: Record<string, any>) => any} */
const press = (key, more = {}) =>
  page.fire("keydown", {
    key,
    target: new FakeElement("main"),
    altKey: false,
    ctrlKey: false,
    metaKey: false,
    ...more,
  });

/** @type {(...keys: string[]) => any} */
const binding = (...keys) => ({ keys, words: `do ${keys[0]}`, action: () => done.push(keys[0]) });

test("a key does what it is bound to, and nothing else of the browser", () => {
  bindKeys([binding("u", "Ctrl+z")]);
  assert.ok(press("u").defaultPrevented);
  assert.ok(press("z", { ctrlKey: true }).defaultPrevented);
  assert.ok(press("z", { metaKey: true }).defaultPrevented);
  assert.deepEqual(done, ["u", "u", "u"]);
  assert.ok(!press("z").defaultPrevented);
  assert.ok(!press("u", { altKey: true }).defaultPrevented);
  assert.equal(done.length, 3);
});

test("letters stay with a field that has the focus, unless the key works while typing", () => {
  bindKeys([binding("u"), { ...binding("Escape"), typing: true }]);
  for (const tag of ["input", "textarea", "select"]) {
    assert.ok(!press("u", { target: new FakeElement(tag) }).defaultPrevented);
    assert.ok(press("Escape", { target: new FakeElement(tag) }).defaultPrevented);
  }
  assert.deepEqual(done, ["Escape", "Escape", "Escape"]);
});

test("Enter and Space belong to a button that has the focus", () => {
  bindKeys([binding("Enter"), binding(" ")]);
  for (const key of ["Enter", " "]) {
    assert.ok(!press(key, { target: new FakeElement("button") }).defaultPrevented);
    assert.ok(press(key).defaultPrevented);
  }
});

test("a key that something else has used is left alone", () => {
  bindKeys([binding("u")]);
  press("u", { defaultPrevented: true });
  assert.deepEqual(done, []);
});

test("? opens the list of keys, and no key works while a dialog is open", () => {
  const show = bindKeys([binding("u"), { ...binding("x"), words: null }]);
  const [dialog] = /** @type {FakeElement[]} */ (page.body.children);
  assert.ok(!dialog.isOpen);
  press("?");
  assert.ok(dialog.isOpen);
  press("u");
  assert.deepEqual(done, []);
  dialog.close();
  show();
  assert.ok(dialog.isOpen);
  assert.match(dialog.textContent, /do u/u);
  assert.doesNotMatch(dialog.textContent, /do x/u);
});

test("the list writes keys as people know them", () => {
  bindKeys([binding("ArrowDown", "Ctrl+Z", "Ctrl+q")]);
  assert.match(page.body.textContent, /↓ or Ctrl \+ Shift \+ Z or Ctrl \+ q/u);
});

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import "./page.mjs";

const { afterPause, el, reveal } = /** @type {any} */ (await import("../../temporacle/workbench/static/dom.js"));

test("attributes, data, styles and listeners", () => {
  /** @type {string[]} */
  const heard = [];
  const made = el("p", {
    class: "a",
    hidden: true,
    title: null,
    lang: undefined,
    open: false,
    dataset: { link: "l1" },
    style: { top: "3px" },
    onclick: () => heard.push("click"),
  });
  assert.deepEqual(Object.fromEntries(made.attributes), { class: "a", hidden: "" });
  assert.equal(made.dataset.link, "l1");
  assert.equal(made.styles.get("top"), "3px");
  made.fire("click");
  assert.deepEqual(heard, ["click"]);
});

test("children may be nested and left out; text stays text", () => {
  const made = el("p", {}, "a", null, [["<b>", [false, el("i", {}, "c")]], undefined], "");
  assert.equal(made.textContent, "a<b>c");
  assert.equal(made.children.length, 4);
});

test("of several calls in a row, the last one counts", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {number[]} */
  const done = [];
  const later = afterPause(100, (/** @type {number} */ value) => done.push(value));
  later(1);
  mock.timers.tick(99);
  later(2);
  mock.timers.tick(99);
  assert.deepEqual(done, []);
  mock.timers.tick(1);
  assert.deepEqual(done, [2]);
  later(3);
  mock.timers.tick(100);
  assert.deepEqual(done, [2, 3]);
  mock.timers.reset();
});

test("a container is scrolled only as far as needed", () => {
  /** @type {(top: number, bottom: number) => number} */
  const scrolled = (top, bottom) => {
    const container = { scrollTop: 0, getBoundingClientRect: () => ({ top: 100, bottom: 200 }) };
    reveal({ getBoundingClientRect: () => ({ top, bottom }) }, container);
    return container.scrollTop;
  };
  assert.equal(scrolled(120, 180), 0);
  assert.equal(scrolled(90, 120), -22);
  assert.equal(scrolled(190, 220), 32);
  assert.equal(scrolled(150, 400), 38); // higher than the container: its top is shown
});

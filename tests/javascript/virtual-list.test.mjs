import assert from "node:assert/strict";
import { test } from "node:test";
import { dice } from "./documents.mjs";
import { page } from "./page.mjs";

const { virtualList } = await import("../../temporacle/workbench/static/virtual-list.js");

const HEIGHT = 10;
const SPARE = 8;

/** @type {(count: number, more?: Record<string, any>) => any} */
function listOf(count, more = {}) {
  /** @type {string[]} */
  const calls = [];
  const list = virtualList({
    label: "numbers",
    columns: [{ title: "Number", cell: (/** @type {number} */ row) => String(row) }],
    key: String,
    rowHeight: HEIGHT,
    onactive: (row) => calls.push(`active ${row}`),
    onopen: (row) => calls.push(`open ${row}`),
    ...more,
  });
  /** @type {any} */
  const element = list.element;
  element.clientHeight = 55;
  list.setRows(Array.from({ length: count }, (_, number) => number));
  const drawn = () => [...element.below()].filter((each) => "key" in each.dataset);
  const press = (/** @type {string} */ key, fields = {}) => element.fire("keydown", { key, ...fields });
  return { list, element, calls, drawn, press, shown: () => drawn().map((each) => Number(each.dataset.key)) };
}

test("the rows in view are drawn, and few others", () => {
  for (let seed = 0; seed < 200; seed++) {
    const roll = dice(seed);
    const count = roll(3) ? roll(400) : roll(8);
    const { element, shown } = listOf(count);
    element.clientHeight = roll(120);
    element.scrollTop = roll(Math.max(1, count * HEIGHT));
    element.fire("scroll");
    const found = shown();
    for (let row = 0; row < count; row++) {
      const isInView =
        (row + 1) * HEIGHT > element.scrollTop && row * HEIGHT < element.scrollTop + element.clientHeight;
      if (isInView) assert.ok(found.includes(row), `seed ${seed}: row ${row} is in view and not drawn`);
    }
    assert.ok(found.length <= element.clientHeight / HEIGHT + 2 + 2 * SPARE);
    assert.deepEqual(
      found,
      found.map((/** @type {number} */ _, /** @type {number} */ place) => found[0] + place),
    );
  }
});

test("a hundred thousand rows are as high as they are, and as quick as ten", () => {
  const { list, element, drawn, shown } = listOf(100_000);
  const body = element.children[1];
  assert.equal(body.styles.get("height"), "1000000px");
  assert.equal(element.getAttribute("aria-rowcount"), "100001");
  list.setActive("99999");
  assert.equal(shown().at(-1), 99_999);
  assert.ok(drawn().length < 40);
});

test("keys move the active row within the list", () => {
  const { calls, press, list } = listOf(30);
  for (const key of ["ArrowDown", "j", "ArrowDown", "k", "ArrowUp", "End", "ArrowDown", "PageUp", "Home", "k"])
    press(key);
  const page = Math.floor(55 / HEIGHT) - 2;
  const expected = [0, 1, 2, 1, 0, 29, 29, 29 - page, 0, 0];
  assert.deepEqual(
    calls,
    expected.map((row) => `active ${row}`),
  );
  assert.equal(list.active, 0);
});

test("a key that the list does not know, or with Ctrl, goes on to the page", () => {
  const { press, calls } = listOf(3);
  assert.ok(!press("x").defaultPrevented);
  assert.ok(!press("ArrowDown", { ctrlKey: true }).defaultPrevented);
  assert.ok(!press("Enter").defaultPrevented); // no row is active
  assert.deepEqual(calls, []);
  assert.ok(press("ArrowDown").defaultPrevented);
  assert.ok(press("Enter").defaultPrevented);
  assert.deepEqual(calls, ["active 0", "open 0"]);
});

test("an empty list has no row to move to", () => {
  const { press, list } = listOf(0);
  assert.ok(!press("ArrowDown").defaultPrevented);
  assert.equal(list.active, undefined);
});

test("the active row is scrolled into view and named", () => {
  for (let seed = 0; seed < 100; seed++) {
    const roll = dice(seed);
    const { list, element, drawn } = listOf(200);
    element.scrollTop = roll(2000);
    const row = roll(200);
    list.setActive(String(row));
    assert.ok(row * HEIGHT >= element.scrollTop && (row + 1) * HEIGHT <= element.scrollTop + element.clientHeight);
    const named = drawn().filter(
      (/** @type {any} */ each) => each.getAttribute("id") === element.getAttribute("aria-activedescendant"),
    );
    assert.deepEqual(
      named.map((/** @type {any} */ each) => each.dataset.key),
      [String(row)],
    );
  }
});

test("an active row that was scrolled away is not named", () => {
  const { list, element } = listOf(200);
  list.setActive("0");
  element.scrollTop = 1500;
  element.fire("scroll");
  assert.equal(element.getAttribute("aria-activedescendant"), null);
});

test("the active row stays active when rows come and go", () => {
  const { list, element, drawn } = listOf(10);
  list.setActive("5");
  list.setRows([9, 5, 7]);
  assert.equal(list.active, 5);
  assert.equal(element.getAttribute("aria-activedescendant"), drawn()[1].getAttribute("id"));
  list.setRows([9, 7]);
  assert.equal(list.active, undefined);
  list.setRows([5]);
  assert.equal(list.active, 5);
});

test("a click chooses a row, a double click opens it", () => {
  const { element, drawn, calls } = listOf(10);
  element.fire("click", { target: drawn()[3] });
  element.fire("dblclick", { target: drawn()[4] });
  element.fire("click"); // beside the rows
  assert.deepEqual(calls, ["active 3", "open 4"]);
});

test("where a click opens, one click is enough", () => {
  const { element, drawn, calls } = listOf(10, { openByClick: true });
  element.fire("click", { target: drawn()[3] });
  assert.deepEqual(calls, ["open 3"]);
});

test("no row is replaced while the pointer is down on it", async () => {
  const { list, element, drawn } = listOf(10);
  element.children[1].fire("pointerdown");
  const before = drawn();
  list.setRows([1, 2]);
  assert.deepEqual(drawn(), before);
  page.fire("pointerup");
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(drawn().length, 2);
});

test("rows say whether they are selected", () => {
  const { drawn } = listOf(3, { state: (/** @type {number} */ row) => ({ css: `n${row}`, selected: row === 1 }) });
  assert.deepEqual(
    drawn().map((/** @type {any} */ each) => each.getAttribute("aria-selected")),
    ["false", "true", "false"],
  );
  assert.match(drawn()[2].getAttribute("class"), /\bn2\b/u);
});

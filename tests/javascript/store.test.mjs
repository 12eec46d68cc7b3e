import assert from "node:assert/strict";
import { test } from "node:test";
import { createStore } from "../../temporacle/workbench/static/store.js";

/** @type {(store: any, keys: string[]) => any[]} */
function watched(store, keys) {
  /** @type {any[]} */
  const seen = [];
  store.watch(keys, (/** @type {any} */ state) => seen.push({ ...state }));
  return seen;
}

test("a watcher is called at once, and after a change of its keys", () => {
  const store = createStore({ a: 1, b: 2 });
  const seen = watched(store, ["a"]);
  store.set({ b: 3 });
  store.set({ a: 4 });
  assert.deepEqual(seen, [
    { a: 1, b: 2 },
    { a: 4, b: 3 },
  ]);
});

test("the same value is no change", () => {
  const value = {};
  const store = createStore({ value });
  const seen = watched(store, ["value"]);
  store.set({ value });
  assert.equal(seen.length, 1);
  store.set({ value: {} });
  assert.equal(seen.length, 2);
});

test("a watcher of two keys is called once for a change of both, and sees both", () => {
  const store = createStore({ a: 1, b: 1, c: 1 });
  const seen = watched(store, ["a", "b"]);
  store.set({ a: 2, b: 2, c: 2 });
  assert.deepEqual(seen.slice(1), [{ a: 2, b: 2, c: 2 }]);
});

test("a watcher of two keys is called for a change of one of them", () => {
  const store = createStore({ a: 1, b: 1 });
  const seen = watched(store, ["a", "b"]);
  store.set({ b: 2 });
  assert.deepEqual(seen.slice(1), [{ a: 1, b: 2 }]);
});

test("watchers are called in the order in which they came", () => {
  const store = createStore({ a: 1 });
  /** @type {string[]} */
  const order = [];
  for (const name of ["first", "second", "third"]) store.watch(["a"], () => order.push(name));
  order.length = 0;
  store.set({ a: 2 });
  assert.deepEqual(order, ["first", "second", "third"]);
});

test("the store keeps its own copy of what it starts with", () => {
  const initial = { a: 1 };
  createStore(initial).set({ a: 2 });
  assert.equal(initial.a, 1);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { given, link } from "./documents.mjs";
import { page, serve } from "./page.mjs";

const { frame } = await import("../../temporacle/workbench/static/frame.js");
const { linkId, openDesk } = await import("../../temporacle/workbench/static/desk.js");

frame({ title: "council", head: null, main: /** @type {any} */ (page.createElement("main")) });
const spoken = () => [...page.body.below()].find((each) => each.getAttribute("id") === "spoken")?.textContent;
const noticed = () => [...page.body.below()].find((each) => each.getAttribute("id") === "notices")?.textContent ?? "";

/**
 * A server with one document. `answers` has what it says to a POST, by the last word of the path.
 * @param {Record<string, () => [number, unknown]>} answers
 * @param {() => Partial<ReturnType<typeof given>>} [state]
 */
function server(answers, state = () => ({})) {
  return serve((path, options) => {
    const verb = path.split("/").at(-1) ?? "";
    if (options.method === "POST") return answers[verb]();
    return verb in answers ? answers[verb]() : [200, given(state())];
  });
}

const answered = {
  verdict: "consistent",
  conflicts: [],
  redundant: [],
  added: [],
  new_conflicts: [],
  resolved_conflicts: [],
};

test("an edit is sent with the revision, answered in words, and the document read again", async () => {
  let unsaved = 0;
  const asked = server({ edit: () => [200, { ...answered, redundant: [link("l2", "b", "BEFORE", "c")] }] }, () => ({
    unsaved,
  }));
  const desk = openDesk("council");
  await desk.read();
  unsaved = 1;
  await desk.remove(["l1"]);
  const sent = asked.find(({ options }) => options.method === "POST");
  assert.equal(sent?.path, "api/documents/council/edit");
  assert.deepEqual(JSON.parse(sent?.options.body), { remove: ["l1"], revision: 7 });
  assert.equal(spoken(), "Removed l1. The document is consistent; l2 now follows from the other links.");
  const { state } = desk.store;
  assert.deepEqual([state.doc.unsaved, state.unsent, state.busy], [1, null, false]);
  assert.deepEqual(state.answer?.redundant, ["l2"]);
});

test("the server says which conflicts are new and which are resolved", async () => {
  const old = given().conflicts[0];
  const other = [link("l9", "d", "BEFORE", "d")];
  const told = { conflicts: [old, other], new_conflicts: [other], resolved_conflicts: [old, old] };
  server({ edit: () => [200, { ...answered, ...told, verdict: "inconsistent" }] });
  const desk = openDesk("council");
  await desk.read();
  await desk.add("d", "BEFORE", "d");
  assert.deepEqual(desk.store.state.answer?.fresh, [other]);
  assert.equal(desk.store.state.answer?.resolved, 2);
});

test("requests wait for each other", async () => {
  const asked = server({ edit: () => [200, answered], undo: () => [200, answered] }, () => ({ undo: 1 }));
  const desk = openDesk("council");
  await Promise.all([desk.read(), desk.relabel("l1", "AFTER"), desk.undo()]);
  const words = asked.map(({ path, options }) => options.method ?? `GET ${path.split("/").at(-1)}`);
  assert.deepEqual(words, ["GET council", "POST", "GET council", "POST", "GET council"]);
});

test("without a step to undo, nothing is sent", async () => {
  const asked = server({});
  const desk = openDesk("council");
  await desk.read();
  await desk.undo();
  assert.equal(asked.length, 1);
  assert.equal(spoken(), "There is nothing to undo.");
});

test("a document that is read-only gets no edits", async () => {
  const asked = server({}, () => ({ read_only: true }));
  const desk = openDesk("council");
  await desk.read();
  await desk.remove(["l1"]);
  assert.equal(asked.length, 1);
});

test("an edit that the server did not confirm is kept, one that it refused is not", async () => {
  server({
    edit: () => {
      throw new TypeError("no network");
    },
  });
  const desk = openDesk("council");
  await desk.read();
  await desk.remove(["l1"]);
  assert.deepEqual(desk.store.state.unsent, { verb: "edit", body: { remove: ["l1"] }, did: "removed l1" });
  server({ edit: () => [400, { error: "there is no link l1" }] });
  await desk.remove(["l1"]);
  assert.equal(desk.store.state.unsent, null);
  assert.match(noticed(), /there is no link l1/u);
});

test("after a change in another tab, the present state is read and the action is not repeated", async () => {
  let revision = 7;
  const asked = server({ edit: () => [409, { error: "changed" }] }, () => ({ revision }));
  const desk = openDesk("council");
  await desk.read();
  revision = 8;
  await desk.remove(["l1"]);
  assert.equal(desk.store.state.doc.revision, 8);
  assert.equal(asked.filter(({ options }) => options.method === "POST").length, 1);
  assert.match(noticed(), /changed in another tab/u);
});

test("saving over a file that has changed asks first", async () => {
  server({ save: () => [409, { error: "the file has changed", changed: true }] }, () => ({ unsaved: 1 }));
  const desk = openDesk("council");
  await desk.read();
  let isAsked = false;
  await desk.save(() => {
    isAsked = true;
  });
  assert.ok(isAsked);
});

test("what keeps a document from being saved is said", async () => {
  for (const [state, words] of /** @type {[object, RegExp][]} */ ([
    [{}, /nothing to save/u],
    [{ read_only: true, unsaved: 1 }, /Read-only/u],
    [{ saves: "export", why_export: "it is compressed", unsaved: 1 }, /it is compressed\. Export it instead/u],
  ])) {
    const asked = server({}, () => state);
    const desk = openDesk("council");
    await desk.read();
    await desk.save(() => assert.fail());
    assert.match(spoken() ?? "", words);
    assert.equal(asked.length, 1);
  }
});

test("after one link of a repair is removed, the others are still proposed", async () => {
  const repair = [link("l1", "a", "BEFORE", "b"), link("l2", "b", "BEFORE", "c")];
  server({ edit: () => [200, answered], repair: () => [200, { repair }] });
  const desk = openDesk("council");
  await desk.read();
  await desk.repair();
  await desk.removeOfRepair("l1");
  assert.deepEqual(desk.store.state.repair?.map(linkId), ["l2"]);
});

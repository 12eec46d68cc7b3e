import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { moveTo, serve } from "./page.mjs";

const { documentPath, exportAddress, get, onConnection, pageAddress, post, RequestError, stream } = await import(
  "../../temporacle/workbench/static/api.js"
);
const { takeUnsent, unsentAddress } = await import("../../temporacle/workbench/static/unsent.js");

/** @type {string[]} */
const states = [];
onConnection((state) => states.push(state));

test("addresses carry the token, and ids of any kind", () => {
  assert.equal(pageAddress("./"), "./?token=t0");
  assert.equal(pageAddress("document", "a/b&c d"), "document?id=a%2Fb%26c+d&token=t0");
  assert.equal(documentPath("a/b?c"), "api/documents/a%2Fb%3Fc");
  assert.equal(exportAddress("x", "tsv", true), "api/documents/x/export?format=tsv&token=t0");
  assert.equal(exportAddress("x", "tsv", false), "api/documents/x/export?format=tsv&comments=0&token=t0");
});

test("a request sends the token and gives the JSON", async () => {
  const asked = serve(() => [200, { found: 1 }]);
  assert.deepEqual(await get("api/x", [["a", "b c"]]), { found: 1 });
  assert.deepEqual(await post("api/y", { z: 1 }), { found: 1 });
  assert.equal(asked[0].path, "api/x?a=b+c");
  assert.equal(asked[0].options.headers.Authorization, "Bearer t0");
  assert.equal(asked[1].options.body, '{"z":1}');
  assert.equal(asked[1].options.headers["Content-Type"], "application/json");
  assert.deepEqual(states, []);
});

test("a refused request tells why", async () => {
  serve(() => [409, { error: "changed elsewhere", changed: true }]);
  await assert.rejects(get("api/x"), (/** @type {any} */ error) => {
    assert.ok(error instanceof RequestError);
    assert.deepEqual([error.status, error.message, error.body.changed], [409, "changed elsewhere", true]);
    return true;
  });
  serve(() => [500, "not JSON"]);
  await assert.rejects(get("api/x"), /status 500/u);
});

test("a server that goes, comes back as another one, and comes back", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const wait = async () => {
    mock.timers.tick(1500);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  states.length = 0;
  serve(() => {
    throw new TypeError("no network");
  });
  await assert.rejects(get("api/x"), (/** @type {any} */ error) => error.status === 0);
  assert.deepEqual(states, ["gone"]);
  await wait();
  assert.deepEqual(states, ["gone"]);
  serve(() => [401, {}]);
  await wait();
  assert.deepEqual(states, ["gone", "stranger"]);
  serve(() => [200, []]);
  await wait();
  assert.deepEqual(states, ["gone", "stranger", "back"]);
  mock.timers.reset();
});

test("a server that does not know the token is another one", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  states.length = 0;
  serve(() => [401, { error: "no token" }]);
  await assert.rejects(get("api/x"), /no token/u);
  assert.deepEqual(states, ["stranger"]);
  serve(() => [200, []]);
  await get("api/x");
  assert.deepEqual(states, ["stranger", "back"]);
  mock.timers.reset();
});

test("after a request was answered, the page stops trying to reach the server", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  serve(() => {
    throw new TypeError("no network");
  });
  await assert.rejects(get("api/x"));
  const asked = serve(() => [200, []]);
  await get("api/y");
  for (let turn = 0; turn < 5; turn++) {
    mock.timers.tick(1500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(
    asked.map(({ path }) => path),
    ["api/y"],
  );
  mock.timers.reset();
});

test("a request that was given up is no lost server", async () => {
  states.length = 0;
  serve(() => {
    throw new DOMException("given up", "AbortError");
  });
  await assert.rejects(get("api/x"), { name: "AbortError" });
  assert.deepEqual(states, []);
});

test("a stream is read line by line, however it is cut", async () => {
  const rows = [{ id: "a" }, { id: "ä€𝄞" }, { done: true }];
  const bytes = new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join("\n"));
  for (const size of [1, 2, 3, 7, 1000]) {
    const body = new ReadableStream({
      start(controller) {
        for (let from = 0; from < bytes.length; from += size) controller.enqueue(bytes.slice(from, from + size));
        controller.close();
      },
    });
    Object.assign(globalThis, { fetch: async () => new Response(body) });
    /** @type {any[]} */
    const found = [];
    await stream("api/progress", (row) => found.push(row));
    assert.deepEqual(found, rows);
  }
});

test("an edit that was not confirmed travels in the fragment of the address, once", () => {
  const unsent = { verb: "edit", body: { remove: ["l#1 & l2"] }, did: "removed l1" };
  const address = unsentAddress("http://127.0.0.1:9000/?token=t9", "a/b", unsent);
  assert.ok(address);
  const { searchParams, hash, search } = new URL(address);
  assert.deepEqual([searchParams.get("id"), searchParams.get("token")], ["a/b", "t9"]);
  assert.ok(hash.startsWith("#unsent=") && !search.includes("remove")); // a fragment is not sent to a server
  moveTo(address);
  assert.deepEqual(takeUnsent(), unsent);
  assert.equal(location.hash, "");
  assert.equal(takeUnsent(), null);
});

test("what is no address of a workbench is refused", () => {
  for (const address of ["", "here", "http://127.0.0.1:9000/", "javascript:alert(1)?token=x", "file:///x?token=x"])
    assert.equal(unsentAddress(address, "d", null), null, address);
});

test("what is no edit is not taken", () => {
  for (const text of ["{", "null", '{"verb":"save","body":{},"did":"x"}', '{"verb":"edit","body":{}}', "%"]) {
    moveTo(`http://127.0.0.1:8600/document?id=x&token=t0#unsent=${text === "%" ? text : encodeURIComponent(text)}`);
    assert.equal(takeUnsent(), null, text);
  }
});

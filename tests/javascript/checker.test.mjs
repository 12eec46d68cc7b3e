import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

/** @type {any} */
const checker = createRequire(import.meta.url)("../../temporacle/data/checker.js");

/** @type {(number: number, source: string, target: string) => any} */
const before = (number, source, target) => ({
  id: `l${number}`,
  source,
  relation: ["b"],
  label: "BEFORE",
  target,
  line: number,
});

const HEAD = {
  format: "temporacle-certificate",
  version: 1,
  document: {
    id: "d",
    path: null,
    sha256: null,
    format: "tsv",
    reading: "links",
    during: "simultaneous",
    encoding: null,
  },
  readings: [["BEFORE", ["b"]]],
};

const CHAIN = {
  ...HEAD,
  claim: "consistent",
  links: [before(1, "a", "b"), before(2, "b", "c")],
  witness: { a: [0, 1], b: [2, 3], c: [4, 5] },
};

const CIRCLE = {
  ...HEAD,
  claim: "inconsistent",
  links: [before(1, "a", "b"), before(2, "b", "a")],
  conflict: [0, 1],
  needed: [
    { a: [2, 3], b: [0, 1] },
    { a: [0, 1], b: [2, 3] },
  ],
  proof: [
    {
      cycle: [
        ["a.start", "<", "a.end", null],
        ["a.end", "<", "b.start", 0],
        ["b.start", "<", "b.end", null],
        ["b.end", "<", "a.start", 1],
      ],
    },
  ],
};

/** @type {(certificate: object) => any} */
const check = (certificate) => checker.check(JSON.stringify(certificate));

/** @type {(certificate: object, reason?: RegExp) => void} */
function rejected(certificate, reason = /./u) {
  const found = check(certificate);
  assert.equal(found.valid, false, found.reason);
  assert.match(found.reason, reason);
}

test("certificates that hold, as text and as bytes", () => {
  for (const certificate of [CHAIN, CIRCLE]) {
    const text = JSON.stringify(certificate);
    for (const content of [text, new TextEncoder().encode(text)]) {
      const found = checker.check(content);
      assert.deepEqual([found.valid, found.reason], [true, null]);
      assert.deepEqual([found.claim, found.links, found.document], [certificate.claim, 2, "d"]);
    }
  }
});

test("a timeline on which a link does not hold", () => {
  rejected({ ...CHAIN, witness: { a: [0, 1], b: [2, 3], c: [3, 5] } });
  rejected({ ...CHAIN, witness: { a: [0, 1], b: [2, 3] } });
  rejected({ ...CHAIN, witness: { a: [1, 1], b: [2, 3], c: [4, 5] } });
});

test("a proof that proves nothing", () => {
  const [step] = CIRCLE.proof;
  const edges = step.cycle;
  for (let place = 0; place < edges.length; place++)
    rejected({ ...CIRCLE, proof: [{ cycle: edges.filter((_, other) => other !== place) }] });
  rejected({ ...CIRCLE, proof: [] });
  rejected({ ...CIRCLE, proof: [step, step] });
  rejected({ ...CIRCLE, conflict: [0], needed: [{ a: [2, 3], b: [0, 1] }] });
  rejected({ ...CIRCLE, links: CHAIN.links });
});

test("a conflict with a link that it does not need", () => {
  const more = { ...CIRCLE, links: [...CIRCLE.links, before(3, "c", "d")], conflict: [0, 1, 2] };
  rejected({ ...more, needed: [...CIRCLE.needed, { a: [0, 1], b: [2, 3], c: [0, 1], d: [2, 3] }] });
});

test("readings are those of the links", () => {
  rejected({ ...CHAIN, readings: [] });
  rejected({ ...CHAIN, readings: [["BEFORE", ["m"]]] });
  rejected({
    ...CHAIN,
    readings: [
      ["BEFORE", ["b"]],
      ["AFTER", ["bi"]],
    ],
  });
});

test("no field may be missing, and none may be added", () => {
  for (const name of Object.keys(CHAIN))
    rejected(Object.fromEntries(Object.entries(CHAIN).filter(([key]) => key !== name)));
  rejected({ ...CHAIN, remark: "" }, /other fields/u);
  rejected({ ...CHAIN, links: [{ ...CHAIN.links[0], weight: 1 }, CHAIN.links[1]] });
});

test("JSON is read strictly", () => {
  const text = JSON.stringify(CHAIN);
  /** @type {[string, string, RegExp][]} */
  const wrong = [
    ['"version":1', '"version":1.0', /not an integer/u],
    ['"version":1', '"version":1e0', /not an integer/u],
    ['"version":1', '"version":01', /leading zero/u],
    ['"version":1', `"version":1${"0".repeat(30)}`, /huge/u],
    ['"version":1', '"version":1,"version":1', /a key twice/u],
    ['"version":1', '"version":1,"\\u0076ersion":1', /a key twice/u],
    ['"version":1', '"version":NaN', /not JSON/u],
    ['"version":1', '"version":true', /./u],
    ['"version":1', `"version":${"[".repeat(100_000)}`, /too deep/u],
    ['"id":"d"', '"id":"\t"', /control character/u],
    ['"id":"d"', '"id":"\\x"', /bad escape/u],
  ];
  for (const [from, to, reason] of wrong) {
    assert.ok(text.includes(from));
    const found = checker.check(text.replace(from, () => to));
    assert.equal(found.valid, false, to);
    assert.match(found.reason, reason);
  }
  for (const content of ["", "{", "null", "[]", `${text}x`, `\ufeff${text}`])
    assert.equal(checker.check(content).valid, false);
  assert.match(checker.check(new Uint8Array([0x22, 0xff, 0x22])).reason, /not UTF-8/u);
  assert.equal(checker.check(` \n${text}\r\n`).valid, true);
});

test("no name of an entity is special", () => {
  for (const name of ["", "__proto__", "constructor", "@", "a.start", "a.end", "🜁", "\ud800"]) {
    const text = JSON.stringify({ ...CHAIN, links: [before(1, "x", "y")], witness: {} })
      .replace('"source":"x"', () => `"source":${JSON.stringify(name)}`)
      .replace('"witness":{}', () => `"witness":{${JSON.stringify(name)}:[0,1],"y":[2,3]}`);
    assert.equal(checker.check(text).reason, null, name);
  }
});

test("times may be larger than what a double holds exactly", () => {
  const text = JSON.stringify({ ...CHAIN, links: [before(1, "a", "b")], witness: {} });
  /** @type {(times: string) => any} */
  const at = (times) => checker.check(text.replace('"witness":{}', () => `"witness":${times}`)).valid;
  const [low, high] = ["999999999999999998", "999999999999999999"];
  assert.equal(at(`{"a":[0,${low}],"b":[${high},1000000000000000000]}`), true);
  assert.equal(at(`{"a":[0,${low}],"b":[${low},${high}]}`), false); // they meet
  assert.equal(at(`{"a":[0,1],"b":[2,1000000000000000001]}`), false); // beyond the limit
});

test("verdicts in words", () => {
  assert.equal(
    checker.sentence(check(CHAIN)),
    "valid: d is consistent (2 links, format tsv, label set links, not bound to a file)",
  );
  assert.match(checker.sentence(check({ ...CHAIN, claim: "odd" })), /^rejected: /u);
  assert.equal(checker.sentence({ ...checker.NOTHING, reason: "cannot be opened" }), "cannot be opened");
});

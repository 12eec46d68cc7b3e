// Invented documents as the server gives them.

import { outline } from "../../temporacle/workbench/static/outline.js";

/** @import { Doc, Entity, GivenDocument, Link } from "../../temporacle/workbench/static/outline.js" */

/** @type {(id: string, source: string, label: string, target: string) => Link} */
export const link = (id, source, label, target) => ({ id, source, label, target });

/** @type {(fields?: Partial<GivenDocument>) => GivenDocument} */
export function given(fields = {}) {
  const links = [link("l1", "a", "BEFORE", "b"), link("l2", "b", "BEFORE", "c"), link("l3", "c", "BEFORE", "a")];
  return {
    text: "a b c d",
    entities: ["a", "b", "c", "d"].map((id) => ({ id, kind: "event", text: `word ${id}` })),
    links,
    verdict: "inconsistent",
    conflicts: [links],
    timeline: null,
    format: "tsv",
    reading: "links",
    read_only: false,
    reviewed: false,
    note: "",
    revision: 7,
    unsaved: 0,
    undo: 0,
    redo: 0,
    saves: "in place",
    why_export: null,
    exports_comments: ["jsonl"],
    ...fields,
  };
}

/** @type {(fields?: Partial<GivenDocument>) => Doc} */
export const opened = (fields) => outline(given(fields));

/**
 * Return numbers below `below` that look random and are the same in every run.
 * @param {number} seed
 */
export function dice(seed) {
  let state = seed;
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

// The documents before and after the one that is open, in the order of the list that it was opened from.

import { pageAddress } from "./api.js";
import { say } from "./frame.js";
import { T } from "./texts.js";

/** @import { Binding } from "./keys.js" */

const LIST = "temporacle-list"; // in the session of the browser
const MOST = 20_000;

/** @param {string[]} ids of the documents of a list */
export function keepNeighbours(ids) {
  if (ids.length > MOST) sessionStorage.removeItem(LIST);
  else sessionStorage.setItem(LIST, JSON.stringify(ids));
}

/**
 * Return the keys that go to the next and the previous document.
 * @param {string} page
 * @param {string} id
 * @returns {Binding[]}
 */
export function neighbourKeys(page, id) {
  const go = (/** @type {number} */ step) => {
    /** @type {string[]} */
    const ids = JSON.parse(sessionStorage.getItem(LIST) ?? "[]");
    const other = ids[ids.indexOf(id) + step];
    if (!ids.includes(id) || other === undefined) say(T.document.noNeighbour);
    else location.href = pageAddress(page, other);
  };
  return [
    { keys: ["]"], words: T.keys.nextDocument, action: () => go(1) },
    { keys: ["["], words: T.keys.previousDocument, action: () => go(-1) },
  ];
}

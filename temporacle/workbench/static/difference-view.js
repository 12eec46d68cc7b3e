// One difference of an adjudication: its sentence, and the two sides next to each other.

import { button, data, el } from "./dom.js";
import { nameOf } from "./outline.js";
import { T } from "./texts.js";

/**
 * @import { Doc, Link } from "./outline.js"
 *
 * @typedef {"first" | "second"} Side
 * @typedef {Side | "neither" | null} Taken
 *
 * @typedef {object} Difference
 * @property {number} number
 * @property {string} source
 * @property {string} target
 * @property {Link[]} first
 * @property {Link[]} second
 * @property {boolean | null} first_follows null: undecided
 * @property {boolean | null} second_follows
 * @property {string | null} sentence
 * @property {Taken} taken
 * @property {Record<string, boolean | null>} possible null: undecided
 * @property {Record<string, Link[]>} conflict
 */

/** @type {Side[]} */
const SIDES = ["first", "second"];

/**
 * Return the pair of a difference as text.
 * @param {Doc} doc
 * @param {Difference} row
 */
export function pairText(doc, row) {
  return `${nameOf(doc, row.source)} – ${nameOf(doc, row.target)}`;
}

/**
 * Return a link in words as an item of a list.
 * @param {Doc} doc
 * @param {Link} link
 */
export function linkLine(doc, link) {
  const [source, target] = [link.source, link.target].map((id) => data(nameOf(doc, id)));
  return el("li", {}, el("code", {}, link.id ?? ""), ": ", source, " ", el("b", {}, link.label ?? ""), " ", target);
}

/**
 * Return the parts of the view; `take(side)` decides the difference.
 * @param {{doc: Doc, row: Difference, place: number, names: string[], take: (side: Taken) => unknown}} about
 */
export function differenceView({ doc, row, place, names, take }) {
  const pressed = (/** @type {Taken} */ side) => (row.taken === side ? "true" : "false");
  const neither = { dataset: { take: "neither" }, "aria-pressed": pressed("neither"), disabled: doc.read_only };
  return [
    el("h2", {}, `${place + 1}. `, data(pairText(doc, row))),
    el("blockquote", {}, row.sentence ? data(row.sentence) : T.adjudicate.noSentence),
    el("div", { class: "sides" }, SIDES.map(sideView)),
    el(
      "div",
      { class: "actions" },
      button(T.adjudicate.neither, () => take("neither"), neither),
      button(T.adjudicate.reopen, () => take(null), { class: "quiet", disabled: doc.read_only || row.taken === null }),
    ),
  ];

  /**
   * @param {Side} side
   * @param {number} number
   */
  function sideView(side, number) {
    const links = row[side];
    const possible = row.possible[side];
    const isTaken = row.taken === side;
    const attributes = {
      class: "take",
      dataset: { take: side },
      "aria-pressed": pressed(side),
      disabled: doc.read_only || (possible === false && !isTaken),
    };
    return el(
      "section",
      { class: `side ${side}${isTaken ? " taken" : ""}`, "aria-label": names[number] },
      el("h3", {}, data(names[number])),
      links.length ? stated(links) : el("p", { class: "soft big" }, T.adjudicate.nothing),
      links.length ? follows(row[`${side}_follows`], names[1 - number]) : null,
      possible === false ? contradiction(row.conflict[side]) : null,
      possible === null ? el("p", { class: "doubt" }, T.adjudicate.undecided) : null,
      button(T.adjudicate.take(number + 1, names[number]), () => take(side), attributes),
    );
  }

  /** @param {Link[]} links */
  function stated(links) {
    return el(
      "ul",
      { class: "facts big" },
      links.map((link) => linkLine(doc, link)),
    );
  }

  /**
   * @param {boolean | null} isSo
   * @param {string} other
   */
  function follows(isSo, other) {
    if (isSo === null) return el("p", { class: "doubt" }, T.adjudicate.followsUnknown(other));
    return el("p", { class: isSo ? "good" : "soft" }, (isSo ? T.adjudicate.follows : T.adjudicate.notFollows)(other));
  }

  /** @param {Link[]} conflict */
  function contradiction(conflict) {
    const lines = conflict.map((link) => linkLine(doc, link));
    return el("div", { class: "bad" }, el("p", {}, T.adjudicate.impossible), el("ul", { class: "facts" }, lines));
  }
}

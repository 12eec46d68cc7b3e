// One difference of an adjudication: its sentence, the sides next to each other, and why it is settled.

import { button, data, el } from "./dom.js";
import { nameOf } from "./outline.js";
import { T } from "./texts.js";

/**
 * @import { Doc, Link } from "./outline.js"
 *
 * @typedef {number | null} Taken the number of a side from 1 on; 0: neither; null: open
 * @typedef {Link & {difference?: number | null}} Reason a link, and the difference that it was taken for
 *
 * @typedef {object} State
 * @property {number} number
 * @property {Taken} taken
 * @property {string | null} why decided, edited, follows, only or none
 * @property {number | null} after the difference whose decision settled this one
 *
 * @typedef {State & {source: string, target: string, sides: Link[][]}} Difference
 *
 * @typedef {object} Known
 * @property {string | null} sentence
 * @property {(boolean | null)[]} possible for each side; null: undecided
 * @property {Reason[][]} conflict
 * @property {(boolean | null)[][]} follows for each side: from which sides; null: undecided
 * @property {Reason[]} because
 * @property {number} settles
 *
 * @typedef {Difference & Known} Detail
 */

const ATOMS = 13; // relations between two entities: a link that allows all of them says nothing

/**
 * Return the pair of a difference as text.
 * @param {Doc} doc
 * @param {Difference} row
 */
export function pairText(doc, row) {
  return `${nameOf(doc, row.source)} – ${nameOf(doc, row.target)}`;
}

/**
 * Return a link as words: who, what, whom.
 * @param {Doc} doc
 * @param {Link} link
 */
function linkWords(doc, link) {
  const [source, target] = [link.source, link.target].map((id) => data(nameOf(doc, id)));
  return [source, " ", el("b", {}, link.label ?? ""), " ", target];
}

/**
 * Return a link in words as an item of a list.
 * @param {Doc} doc
 * @param {Link} link
 * @param {...import("./dom.js").Child} more
 */
export function linkLine(doc, link, ...more) {
  return el("li", {}, el("code", {}, link.id ?? ""), ": ", linkWords(doc, link), more);
}

/** @param {string} atom */
const turned = (atom) => (atom === "=" ? atom : atom.endsWith("i") ? atom.slice(0, -1) : `${atom}i`);

/**
 * Return what a link states, seen from one of its ends.
 * @param {Link} link
 * @param {string} source
 */
function seenFrom(link, source) {
  const atoms = link.relation ?? [];
  return [...(link.source === source ? atoms : atoms.map(turned))].sort().join();
}

/**
 * Return the links of a side for a table: the label alone in the direction of the pair, otherwise with the words.
 * A link that says the same as another one from the other end is left out.
 * @param {Doc} doc
 * @param {Difference} row
 * @param {Link[]} links
 */
export function sideCell(doc, row, links) {
  if (!links.length) return el("span", { class: "soft" }, T.adjudicate.nothing);
  const along = links.filter((link) => link.source === row.source);
  const said = new Set(along.map((link) => seenFrom(link, row.source)));
  const back = links.filter((link) => link.source !== row.source && !said.has(seenFrom(link, row.source)));
  return el(
    "span",
    {},
    [...along.map((link) => el("b", {}, link.label ?? "")), ...back.map((link) => linkWords(doc, link))].map(
      (words, place) => [place ? ", " : null, words],
    ),
  );
}

/**
 * Return the parts of the view; `take(side)` decides the difference, `show(number)` goes to another one.
 * @param {object} about
 * @param {Doc} about.doc
 * @param {Detail} about.row
 * @param {string[]} about.names
 * @param {string[]} about.mended the names, and of which sides the repair is left out to say what follows
 * @param {(side: Taken) => unknown} about.take
 * @param {(number: number) => unknown} about.show
 */
export function differenceView({ doc, row, names, mended, take, show }) {
  const isBlocked = doc.verdict === "inconsistent"; // the page says it once, above
  const pressed = (/** @type {Taken} */ side) => (row.taken === side ? "true" : "false");
  const neither = { dataset: { take: 0 }, "aria-pressed": pressed(0), disabled: doc.read_only };
  return [
    el("h2", {}, `${row.number + 1}. `, data(pairText(doc, row))),
    settled(),
    el("blockquote", {}, row.sentence ? data(row.sentence) : T.adjudicate.noSentence),
    el("div", { class: "sides" }, row.sides.map(sideView)),
    el(
      "div",
      { class: "actions" },
      button(T.adjudicate.neither, () => take(0), neither),
      button(T.adjudicate.reopen, () => take(null), { class: "quiet", disabled: doc.read_only || row.taken === null }),
      row.taken === null && row.settles ? el("span", { class: "soft" }, T.adjudicate.settles(row.settles)) : null,
    ),
  ];

  /** Say why nothing is asked about this difference. */
  function settled() {
    const words = row.why ? T.adjudicate.why[row.why] : null;
    if (!words || row.taken === null) return null;
    const name = row.taken ? names[row.taken - 1] : T.adjudicate.taken[0];
    const after = row.after;
    return el(
      "div",
      { class: "settled" },
      el("p", {}, words(name), " ", after === null ? "" : goTo(after, T.adjudicate.after(after + 1))),
      row.because.length ? reasons(row.because) : null,
    );
  }

  /**
   * @param {number} number
   * @param {string} words
   */
  function goTo(number, words) {
    return button(words, () => show(number), { class: "quiet" });
  }

  /** @param {Reason[]} links */
  function reasons(links) {
    return el(
      "ul",
      { class: "facts" },
      links.map((link) => {
        const other = link.difference ?? null;
        const from =
          other === null ? ` (${T.adjudicate.agreedLink})` : goTo(other, T.adjudicate.ofDifference(other + 1));
        return linkLine(doc, link, " ", from);
      }),
    );
  }

  /**
   * @param {Link[]} links
   * @param {number} place
   */
  function sideView(links, place) {
    const side = place + 1;
    const possible = row.possible[place];
    const isTaken = row.taken === side;
    const attributes = {
      class: "take",
      dataset: { take: side },
      "aria-pressed": pressed(side),
      disabled: doc.read_only || (possible === false && !isTaken),
    };
    return el(
      "section",
      { class: `side side-${side}${isTaken ? " taken" : ""}`, "aria-label": names[place] },
      el("h3", {}, data(names[place])),
      links.length
        ? el(
            "ul",
            { class: "facts big" },
            links.map((link) => linkLine(doc, link)),
          )
        : el("p", { class: "soft big" }, T.adjudicate.nothing),
      links.length ? followsFrom(row.follows[place], place) : null,
      possible === false && !isBlocked ? el("p", { class: "bad" }, T.adjudicate.impossible) : null,
      possible === false && !isBlocked ? reasons(row.conflict[place]) : null,
      possible === null ? el("p", { class: "doubt" }, T.adjudicate.undecided) : null,
      button(T.adjudicate.take(side, names[place]), () => take(side), attributes),
    );
  }

  /**
   * @param {(boolean | null)[]} follows
   * @param {number} own
   */
  function followsFrom(follows, own) {
    if (row.sides[own].every((link) => link.relation?.length === ATOMS))
      return el("p", { class: "soft" }, T.adjudicate.saysNothing);
    const others = mended.filter((_, place) => place !== own && follows[place]);
    const unknown = mended.filter((_, place) => place !== own && follows[place] === null);
    if (!others.length && !unknown.length) return el("p", { class: "soft" }, T.adjudicate.notFollows);
    return [
      others.length ? el("p", { class: "good" }, T.adjudicate.follows(T.listing(others))) : null,
      unknown.length ? el("p", { class: "doubt" }, T.adjudicate.followsUnknown(T.listing(unknown))) : null,
    ];
  }
}

// The table of links.

import { afterPause, el } from "./dom.js";
import { nameOf } from "./outline.js";
import { chooseLink, covered } from "./selection.js";
import { T } from "./texts.js";
import { virtualList } from "./virtual-list.js";

/**
 * @import { State } from "./desk.js"
 * @import { Doc, Link } from "./outline.js"
 * @import { Store } from "./store.js"
 */

/**
 * @param {Store<State>} store
 * @param {{onopen: () => void}} actions
 */
export function linksView(store, { onopen }) {
  const filter = el("input", {
    type: "search",
    id: "link-filter",
    "aria-label": T.links.filter,
    placeholder: T.links.filter,
    oninput: afterPause(80, () => show()),
  });
  const near = el("input", { type: "checkbox", id: "near", onchange: () => show() });
  const shown = el("output", { class: "soft" });
  const choose = afterPause(60, (/** @type {Link} */ link) => chooseLink(store, link.id)); // while a key is held down, only the last row counts
  /** @type {ReturnType<typeof covered>} */
  let chosen = { entities: new Set(), links: new Set(), otherEntities: new Set(), otherLinks: new Set() }; // covered by the selection
  /** @type {{redundant: Set<string>, added: Set<string>}} */
  let marks = { redundant: new Set(), added: new Set() };
  const list = virtualList({
    label: T.links.label,
    css: "links",
    rowHeight: 30,
    key: (link) => link.id,
    state: stateOf,
    onactive: choose,
    onopen: () => onopen(),
    columns: [
      {
        title: T.links.columns.id,
        css: "id",
        cell: (link) => el("code", { title: link.line ? T.findings.line(link.line).trim() : null }, link.id),
      },
      { title: T.links.columns.source, cell: (link) => entity(link.source) },
      { title: T.links.columns.label, css: "label", cell: (link) => el("b", {}, link.label ?? "") },
      { title: T.links.columns.target, cell: (link) => entity(link.target) },
      { title: T.links.columns.state, css: "state", cell: signs },
    ],
  });

  /** @param {string} id */
  function entity(id) {
    const name = nameOf(store.state.doc, id);
    return el("bdi", { title: name === id ? id : `${name} (${id})` }, name);
  }

  /** @param {Link} link */
  function signs(link) {
    const { doc } = store.state;
    /** @type {("conflict" | "redundant" | "added" | "commented" | false | "" | null | undefined)[]} */
    const signs = [
      doc.index.conflicted.has(link.id) && "conflict",
      marks.redundant.has(link.id) && "redundant",
      marks.added.has(link.id) && "added",
      link.comment && "commented",
    ];
    const found = signs.filter((sign) => typeof sign === "string" && sign !== "");
    return found.map((sign) =>
      el("span", { class: `sign ${sign}`, title: sign === "commented" ? link.comment : null }, T.links[sign]),
    );
  }

  /** @param {Link} link */
  function stateOf(link) {
    return { css: chosen.otherLinks.has(link.id) ? "other" : "", selected: chosen.links.has(link.id) };
  }

  /**
   * @param {Doc} doc
   * @param {Link} link
   */
  function wordsOf(doc, link) {
    const names = [link.source, link.target].map((id) => nameOf(doc, id));
    return [link.id, link.source, link.label, link.target, ...names, link.comment ?? ""].join(" ").toLowerCase();
  }

  function show() {
    const { doc } = store.state;
    const words = filter.value.toLowerCase().split(/\s+/u).filter(Boolean);
    const ends = chosen.entities;
    const hasNear = ends.size > 0 || chosen.otherLinks.size > 0;
    const isNear = (/** @type {Link} */ link) =>
      chosen.otherLinks.has(link.id) || ends.has(link.source) || ends.has(link.target);
    const matching = doc.links.filter(
      (link) => (!near.checked || !hasNear || isNear(link)) && words.every((word) => wordsOf(doc, link).includes(word)),
    );
    list.setRows(matching);
    shown.textContent = T.links.shown(matching.length, doc.links.length);
  }

  store.watch(["answer"], ({ answer }) => {
    marks = { redundant: new Set(answer?.redundant), added: new Set(answer?.added) };
  });
  store.watch(["doc"], ({ doc }) => doc && follow(true));
  store.watch(["selection"], ({ doc }) => doc && follow(near.checked));

  /** @param {boolean} hasOtherRows */
  function follow(hasOtherRows) {
    chosen = covered(store.state);
    if (hasOtherRows) show();
    else list.redraw();
    const { link } = store.state.selection;
    if (link !== null && list.active?.id !== link) list.setActive(link);
  }

  return {
    element: el(
      "section",
      { class: "pane links-pane", "aria-label": T.links.heading },
      el(
        "div",
        { class: "pane-head" },
        el("h2", {}, T.links.heading),
        shown,
        filter,
        el("label", { class: "check" }, near, T.links.near),
      ),
      list.element,
    ),
    focus: () => list.focus(),
    search: () => filter.focus(),
  };
}

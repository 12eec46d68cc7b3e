// The text with its entities marked. Entities may overlap: the text is cut at every border, and each entity has one tag.

import { data, el, reveal } from "./dom.js";
import { kindOf, nameOf } from "./outline.js";
import { chooseEntity, entityMarks, PLAIN } from "./selection.js";
import { T } from "./texts.js";

/**
 * @import { Child } from "./dom.js"
 * @import { State } from "./desk.js"
 * @import { Doc, Entity } from "./outline.js"
 * @import { Mark } from "./selection.js"
 * @import { Store } from "./store.js"
 *
 * @typedef {Entity & {start: number, end: number}} Placed an entity in the text
 */

/** @param {Store<State>} store */
export function textView(store) {
  const place = el("div", {
    class: "text",
    role: "group",
    "aria-label": T.text.label,
    onkeydown: onKey,
    onclick: onClick,
  });
  const legend = el("ul", { class: "legend" });
  /** @type {string | null} */
  let drawnFor = null; // the text and entities that are on the page
  /** @type {Map<string | null | undefined, HTMLButtonElement>} */
  let tags = new Map(); // entity -> its tag
  /** @type {string[]} */
  let order = []; // entities as their tags follow each other
  /** @type {Map<string, HTMLElement[]>} */
  let pieces = new Map(); // entity -> pieces of text it covers
  /** @type {Map<string | null | undefined, Mark>} */
  let marks = new Map(); // entity -> how it is marked now

  store.watch(["doc"], ({ doc }) => {
    if (!doc) return;
    const shape = JSON.stringify([doc.text, doc.entities]);
    if (shape !== drawnFor) {
      drawnFor = shape;
      draw(doc);
    }
    mark();
  });
  store.watch(["selection"], () => store.state.doc && mark(true));

  /** @param {Doc} doc */
  function draw(doc) {
    tags = new Map();
    pieces = new Map();
    const placed = doc.text === null ? [] : doc.entities.filter(isPlaced);
    const inText = new Set(placed.map((entity) => entity.id));
    const outside = doc.entities.filter((entity) => !inText.has(entity.id));
    const lines = [];
    if (outside.length) {
      lines.push(
        el(
          "p",
          { class: "outside" },
          el("span", { class: "soft" }, doc.text === null ? T.text.none : T.text.outside),
          " ",
          outside.map((entity) => [
            el(
              "mark",
              {
                class: `${kindOf(entity)}${entity.text ? "" : " bare"}`,
                dataset: { cover: JSON.stringify([entity.id]) },
              },
              entity.text ? data(entity.text) : "",
              tagOf(entity),
            ),
            " ",
          ]),
        ),
      );
    }
    if (doc.text !== null) lines.push(el("div", { class: "running" }, ...running(doc.text, placed)));
    place.replaceChildren(...lines);
    for (const piece of place.querySelectorAll("mark")) {
      for (const id of coverOf(piece)) pieces.set(id, [...(pieces.get(id) ?? []), piece]);
    }
    /** @type {Set<string>} */
    const kinds = new Set(doc.entities.map(kindOf));
    const swatches = [
      ...Object.entries(T.kinds).filter(([kind]) => kinds.has(kind)),
      ["conflicted", T.text.inConflict],
    ];
    legend.replaceChildren(
      ...swatches.map(([css, words]) => el("li", {}, el("span", { class: `swatch ${css}` }), words)),
    );
    marks = new Map();
    order = /** @type {string[]} */ ([...tags.keys()]);
    for (const id of order) paint(id);
    if (order.length) tagWith(order[0]).tabIndex = 0;
  }

  /** @param {string} id */
  function tagWith(id) {
    return /** @type {HTMLButtonElement} */ (tags.get(id));
  }

  /** @param {Entity} entity */
  function tagOf(entity) {
    const tag = el(
      "button",
      { type: "button", class: `tag ${kindOf(entity)}`, tabindex: -1, dataset: { entity: entity.id } },
      data(entity.id),
    );
    tags.set(entity.id, tag);
    return tag;
  }

  /**
   * Return the text as plain stretches and marks; a tag follows the end of its entity.
   * @param {string} text
   * @param {Placed[]} entities
   */
  function running(text, entities) {
    const characters = /[\ud800-\udbff]/.test(text) ? Array.from(text) : text; // offsets count code points
    const cut = (/** @type {number} */ from, /** @type {number} */ to) =>
      typeof characters === "string" ? characters.slice(from, to) : characters.slice(from, to).join("");
    const length = characters.length;
    const starting = groupBy(entities, (entity) => Math.min(entity.start, length));
    const ending = groupBy(entities, (entity) => Math.min(entity.end, length));
    const borders = [...new Set([0, length, ...starting.keys(), ...ending.keys()])].sort((a, b) => a - b);
    /** @type {Set<Placed>} */
    const open = new Set();
    /** @type {Child[]} */
    const nodes = [];
    borders.forEach((border, number) => {
      for (const entity of ending.get(border) ?? []) open.delete(entity);
      for (const entity of starting.get(border) ?? []) open.add(entity);
      const next = borders[number + 1];
      if (next === undefined) return;
      if (!open.size) {
        nodes.push(cut(border, next));
        return;
      }
      const inner = [...open].sort((one, other) => one.end - one.start - (other.end - other.start));
      const ends = (ending.get(next) ?? []).sort((one, other) => other.start - one.start);
      nodes.push(
        el(
          "mark",
          { class: kindOf(inner[0]), dataset: { cover: JSON.stringify(inner.map((entity) => entity.id)) } },
          ...withTags(cut(border, next), ends.map(tagOf)),
        ),
      );
    });
    return nodes;
  }

  /**
   * @param {HTMLElement} piece
   * @returns {string[]}
   */
  function coverOf(piece) {
    return JSON.parse(piece.dataset.cover ?? "[]");
  }

  function mark(scroll = false) {
    const { selection } = store.state;
    const next = entityMarks(store.state);
    const touched = new Set([...marks.keys(), ...next.keys()]);
    marks = next;
    for (const id of touched) if (typeof id === "string" && tags.has(id)) paint(id);
    const conflict = store.state.doc.conflicts[selection.conflict ?? -1];
    const first = tags.get(selection.second ?? selection.first ?? conflict?.[0].source);
    if (scroll && first && !place.contains(document.activeElement)) reveal(first, element);
  }

  /** @param {string} id */
  function paint(id) {
    const { doc } = store.state;
    const tag = tagWith(id);
    const { number, isChosen, isConflicted } = marks.get(id) ?? PLAIN;
    for (const piece of pieces.get(id) ?? []) {
      const all = coverOf(piece).map((each) => marks.get(each) ?? PLAIN);
      piece.classList.toggle(
        "chosen",
        all.some((each) => each.isChosen),
      );
      piece.classList.toggle(
        "other",
        all.some((each) => each.isOther),
      );
      piece.classList.toggle(
        "conflicted",
        all.some((each) => each.isConflicted),
      );
    }
    if (number) tag.dataset.number = number;
    else delete tag.dataset.number;
    tag.setAttribute("aria-pressed", isChosen ? "true" : "false");
    const words = [
      number === "1" ? T.text.first : number === "2" && T.text.second,
      isConflicted && T.text.inConflict,
    ].filter(Boolean);
    const kind = T.kinds[kindOf(doc.index.entities.get(id))];
    tag.setAttribute("aria-label", T.text.entity(id, nameOf(doc, id), kind, words));
  }

  /** @param {MouseEvent} event */
  function onClick(event) {
    const target = /** @type {Element} */ (event.target);
    const id = target.closest("button.tag")?.getAttribute("data-entity");
    const piece = target.closest("mark");
    if (typeof id === "string") {
      chooseEntity(store, id);
      rove(id);
    } else if (piece) chooseEntity(store, coverOf(piece)[0]);
  }

  /** @param {string} id */
  function rove(id) {
    for (const tag of tags.values()) if (tag.tabIndex === 0) tag.tabIndex = -1;
    tagWith(id).tabIndex = 0;
    tagWith(id).focus();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const here = order.indexOf(document.activeElement?.getAttribute("data-entity") ?? "");
    /** @type {Record<string, number>} */
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const step = steps[event.key];
    if (here < 0 || !step || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    rove(order[Math.max(0, Math.min(order.length - 1, here + step))]);
  }

  const element = el(
    "section",
    { class: "pane text-pane", "aria-label": T.text.heading },
    el("h2", {}, T.text.heading),
    legend,
    place,
  );
  return {
    element,
    focus: () => {
      /** @type {HTMLElement | null} */
      const first = place.querySelector("[tabindex='0']");
      (tags.get(store.state.selection.first) ?? first)?.focus();
    },
  };
}

/**
 * @param {Entity} entity
 * @returns {entity is Placed}
 */
function isPlaced(entity) {
  const { start, end } = entity;
  return Number.isInteger(start) && Number.isInteger(end) && Number(end) > Number(start);
}

/**
 * Keep the tags of an entity on one line with its last word.
 * @param {string} text
 * @param {HTMLElement[]} tags
 */
function withTags(text, tags) {
  if (!tags.length) return [data(text)];
  const last = text.search(/\S+\s*$/u);
  return [
    last > 0 ? data(text.slice(0, last)) : "",
    el("span", { class: "end" }, data(text.slice(Math.max(0, last))), tags),
  ];
}

/**
 * @template Value
 * @param {Value[]} values
 * @param {(value: Value) => number} keyOf
 */
function groupBy(values, keyOf) {
  /** @type {Map<number, Value[]>} */
  const groups = new Map();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}

// The text with its entities marked. Entities may overlap: the text is cut at every border, and each entity has one tag.

import { button, data, el, reveal, svg } from "./dom.js";
import { endsOf, isValue, kindOf, nameOf } from "./outline.js";
import { chooseEntity, entityMarks, PLAIN } from "./selection.js";
import { T } from "./texts.js";

/**
 * @import { Child } from "./dom.js"
 * @import { State } from "./desk.js"
 * @import { Doc, Entity, Link } from "./outline.js"
 * @import { Mark } from "./selection.js"
 * @import { Store } from "./store.js"
 *
 * @typedef {Entity & {start: number, end: number}} Placed an entity in the text
 */

const LEAST = 8; // pixels of an entity that can be pointed at

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

  const arrows = svg("svg", { class: "arrows", "aria-hidden": "true" });
  const folding = button(T.text.whole, () => unfold(), { class: "quiet", id: "whole-text", hidden: true });
  let isWhole = false; // the whole text is shown, whatever is chosen
  /** @type {number | null} */
  let foldedFor = null; // the conflict whose sentences are shown

  store.watch(["doc"], ({ doc }) => {
    if (!doc) return;
    const shape = JSON.stringify([doc.text, doc.entities]);
    if (shape !== drawnFor) {
      drawnFor = shape;
      draw(doc);
    }
    show();
  });
  store.watch(["selection"], () => store.state.doc && show(true));

  /** The arrows come last: the numbers of what is chosen move the words. */
  function show(scroll = false) {
    const conflict = fold();
    mark(scroll);
    drawArrows(conflict.flatMap((fact) => (isValue(fact) ? [] : [fact])));
  }

  /** Show only the sentences of the chosen conflict; return its facts, each of which gets an arrow. */
  function fold() {
    const { doc, selection } = store.state;
    if (selection.conflict !== foldedFor) isWhole = false;
    foldedFor = selection.conflict;
    const conflict = isWhole ? undefined : doc.conflicts[selection.conflict ?? -1];
    if (!conflict && !isWhole && !place.classList.contains("of-conflict")) {
      folding.hidden = true;
      return []; // nothing was folded, and nothing is: long texts take their time
    }
    const wanted = new Set((conflict ?? []).flatMap(endsOf));
    const sentences = [...place.querySelectorAll(".sentence")];
    const holding = new Set(
      [...wanted].flatMap((id) => pieces.get(id) ?? []).map((piece) => piece.closest(".sentence")),
    );
    const isFolded = [...holding].some((each) => each !== null);
    for (const sentence of sentences) sentence.classList.toggle("folded", isFolded && !holding.has(sentence));
    place.classList.toggle("of-conflict", isFolded);
    folding.hidden = !isFolded && !isWhole;
    folding.textContent = isWhole ? T.text.onlyConflict : T.text.whole;
    return isFolded ? (conflict ?? []) : [];
  }

  function unfold() {
    isWhole = !isWhole;
    show();
  }

  /** @param {Link[]} links */
  function drawArrows(links) {
    if (!links.length && !arrows.childElementCount) return; // to measure would lay out the page
    const origin = place.getBoundingClientRect();
    /** @type {Map<string, number>} */
    const leaving = new Map(); // labels that stand above an entity already
    /** @type {SVGElement[]} */
    const labels = []; // above all arrows
    const parts = links.flatMap((link) => {
      const [from, to] = [link.source, link.target].map((id) => firstBox(pieces.get(id) ?? []));
      if (!from || !to) return [];
      const [x1, x2] = [from, to].map((box) => box.left + box.width / 2 - origin.left);
      const [y1, y2] = [from, to].map((box) => box.top - origin.top);
      const above = leaving.get(link.source) ?? 0;
      leaving.set(link.source, above + 1);
      const top = Math.max(2, Math.min(y1, y2) - 16);
      const path = `M${x1},${y1} C${x1},${top} ${x2},${top} ${x2},${y2}`;
      const words = { x: from.left - origin.left, y: Math.max(8, y1 - 6 - 11 * above) };
      labels.push(svg("text", words, link.label ?? ""));
      return [svg("path", { d: path, "marker-end": "url(#arrow-head)" })];
    });
    const head = svg(
      "marker",
      { id: "arrow-head", viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" },
      svg("path", { d: "M0,0 L6,3 L0,6 z" }),
    );
    arrows.replaceChildren(...(links.length ? [svg("defs", {}, head), ...parts, ...labels] : []));
    if (!arrows.parentNode || arrows.parentNode !== place) place.append(arrows);
  }

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
    if (doc.text !== null) lines.push(el("div", { class: "running" }, ...sentencesOf(doc.text, placed)));
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
   * Return the text as sentences, in lines: what changes in one line does not lay out the others again. No entity is
   * cut: a border inside one is left out.
   * @param {string} text
   * @param {Placed[]} entities
   */
  function sentencesOf(text, entities) {
    const characters = /[\ud800-\udbff]/.test(text) ? Array.from(text) : text; // offsets count code points
    const ends = sentenceEnds(text).filter((end) => !entities.some((each) => each.start < end && end < each.end));
    let start = 0;
    /** @type {HTMLElement[]} */
    const lines = [];
    let isNew = true;
    for (const end of ends) {
      const inside = entities.filter((each) => each.start >= start && each.start < end);
      const moved = inside.map((each) => ({ ...each, start: each.start - start, end: each.end - start }));
      const part = characters.slice(start, end);
      start = end;
      if (isNew) lines.push(el("div", { class: "line" }));
      lines.at(-1)?.append(el("span", { class: "sentence" }, ...running(part, moved)));
      isNew = part.at(-1) === "\n";
    }
    return lines;
  }

  /**
   * Return a part of the text as plain stretches and marks; a tag follows the end of its entity.
   * @param {string | string[]} characters
   * @param {Placed[]} entities
   */
  function running(characters, entities) {
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
          {
            class: `${kindOf(inner[0])}${/\s/u.test(cut(border, next)) ? "" : " word"}`,
            dataset: { cover: JSON.stringify(inner.map((entity) => entity.id)) },
          },
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
    const first = tags.get(selection.second ?? selection.first ?? (conflict ? endsOf(conflict[0])[0] : null));
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
    folding,
    place,
  );
  new ResizeObserver(() => arrows.childElementCount && show()).observe(place);
  return {
    element,
    unfold,
    focus: () => {
      /** @type {HTMLElement | null} */
      const first = place.querySelector("[tabindex='0']");
      (tags.get(store.state.selection.first) ?? first)?.focus();
    },
  };
}

/**
 * Return where an entity can be seen first: it may begin at the end of one line and go on in the next.
 * @param {HTMLElement[]} covering
 */
function firstBox(covering) {
  const boxes = covering.flatMap((piece) => [...piece.getClientRects()]);
  return boxes.sort((one, other) => Number(other.width > LEAST) - Number(one.width > LEAST)).find((box) => box.width);
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
 * Return where the sentences of a text end, in code points; the last one at the end of the text.
 * @param {string} text
 */
function sentenceEnds(text) {
  const ends = [];
  let passed = 0;
  for (const { segment } of new Intl.Segmenter("en", { granularity: "sentence" }).segment(text)) {
    passed += /[\ud800-\udbff]/.test(segment) ? Array.from(segment).length : segment.length;
    ends.push(passed);
  }
  return ends;
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

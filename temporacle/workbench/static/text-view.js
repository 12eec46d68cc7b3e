// The text with its entities marked. Entities may overlap: the text is cut at every border, and each entity has one tag.

import { data, el, reveal } from "./dom.js";
import { kindOf, nameOf } from "./outline.js";
import { chooseEntity, entityMarks, PLAIN } from "./selection.js";
import { T } from "./texts.js";

export function textView(store) {
  const place = el("div", {
    class: "text",
    role: "group",
    "aria-label": T.text.label,
    onkeydown: onKey,
    onclick: onClick,
  });
  const legend = el("ul", { class: "legend" });
  let drawnFor = null; // the text and entities that are on the page
  let tags = new Map(); // entity -> its tag
  let order = []; // entities as their tags follow each other
  let pieces = new Map(); // entity -> pieces of text it covers
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

  function draw(doc) {
    tags = new Map();
    pieces = new Map();
    const placed =
      doc.text === null
        ? []
        : doc.entities.filter(
            (entity) => Number.isInteger(entity.start) && Number.isInteger(entity.end) && entity.end > entity.start,
          );
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
    const kinds = new Set(doc.entities.map(kindOf));
    const swatches = [
      ...Object.entries(T.kinds).filter(([kind]) => kinds.has(kind)),
      ["conflicted", T.text.inConflict],
    ];
    legend.replaceChildren(
      ...swatches.map(([css, words]) => el("li", {}, el("span", { class: `swatch ${css}` }), words)),
    );
    marks = new Map();
    for (const id of tags.keys()) paint(id);
    order = [...tags.keys()];
    if (order.length) tags.get(order[0]).tabIndex = 0;
  }

  function tagOf(entity) {
    const tag = el(
      "button",
      { type: "button", class: `tag ${kindOf(entity)}`, tabindex: -1, dataset: { entity: entity.id } },
      data(entity.id),
    );
    tags.set(entity.id, tag);
    return tag;
  }

  /** Return the text as plain stretches and marks; a tag follows the end of its entity. */
  function running(text, entities) {
    const characters = /[\ud800-\udbff]/.test(text) ? Array.from(text) : text; // offsets count code points
    const cut = (from, to) =>
      typeof characters === "string" ? characters.slice(from, to) : characters.slice(from, to).join("");
    const length = characters.length;
    const starting = groupBy(entities, (entity) => Math.min(entity.start, length));
    const ending = groupBy(entities, (entity) => Math.min(entity.end, length));
    const borders = [...new Set([0, length, ...starting.keys(), ...ending.keys()])].sort((a, b) => a - b);
    const open = new Set();
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

  function coverOf(piece) {
    return JSON.parse(piece.dataset.cover);
  }

  function mark(scroll = false) {
    const { selection } = store.state;
    const next = entityMarks(store.state);
    const touched = new Set([...marks.keys(), ...next.keys()]);
    marks = next;
    for (const id of touched) if (tags.has(id)) paint(id);
    const first = tags.get(
      selection.second ?? selection.first ?? store.state.doc.conflicts[selection.conflict]?.[0].source,
    );
    if (scroll && first && !place.contains(document.activeElement)) reveal(first, element);
  }

  function paint(id) {
    const { doc } = store.state;
    const tag = tags.get(id);
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
    const words = [T.text[{ 1: "first", 2: "second" }[number]], isConflicted && T.text.inConflict].filter(Boolean);
    const kind = T.kinds[kindOf(doc.index.entities.get(id))];
    tag.setAttribute("aria-label", T.text.entity(id, nameOf(doc, id), kind, words));
  }

  function onClick(event) {
    const tag = event.target.closest("button.tag");
    const piece = event.target.closest("mark");
    if (tag) chooseEntity(store, tag.dataset.entity);
    else if (piece) chooseEntity(store, coverOf(piece)[0]);
    if (tag) rove(tag.dataset.entity);
  }

  function rove(id) {
    for (const tag of tags.values()) if (tag.tabIndex === 0) tag.tabIndex = -1;
    tags.get(id).tabIndex = 0;
    tags.get(id).focus();
  }

  function onKey(event) {
    const here = order.indexOf(document.activeElement?.dataset?.entity);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
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
    focus: () => (tags.get(store.state.selection.first) ?? place.querySelector("[tabindex='0']"))?.focus(),
  };
}

/** Keep the tags of an entity on one line with its last word. */
function withTags(text, tags) {
  if (!tags.length) return [data(text)];
  const last = text.search(/\S+\s*$/u);
  return [
    last > 0 ? data(text.slice(0, last)) : "",
    el("span", { class: "end" }, data(text.slice(Math.max(0, last))), tags),
  ];
}

function groupBy(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    if (!groups.has(keyOf(value))) groups.set(keyOf(value), []);
    groups.get(keyOf(value)).push(value);
  }
  return groups;
}

// What is certain about the order: a bar for each entity, in lanes. Solid where the entity certainly lasts, an outline
// where it may.

import { el, svg } from "./dom.js";
import { kindOf, nameOf } from "./outline.js";
import { chooseEntity, entityMarks, PLAIN } from "./selection.js";
import { T } from "./texts.js";

/**
 * @import { State } from "./desk.js"
 * @import { Doc } from "./outline.js"
 * @import { Mark, Selection } from "./selection.js"
 * @import { Store } from "./store.js"
 * @import { Place } from "./outline.js"
 *
 * @typedef {Place & {id: string}} Bar
 */

const ROW = 22;
const BAR = 14;
const TOP = 24;
const MARGIN = 12;
const COLUMN = [7, 64]; // narrowest and widest
const LABEL = 150; // room for a name to the right of the last column
const LETTER = 6.6; // width of a letter, roughly
const PART = 42; // height of the heading of a lane, with its columns
const NUMBER = 28; // least room for a number or a date
const STEPS = 4; // from a column to the next, as places.py counts
const GRID_LIMIT = 400; // columns; above that, lines would be a grey surface

const late = (/** @type {number | null} */ time) => time ?? Number.MAX_SAFE_INTEGER;

/** @param {Store<State>} store */
export function timelineView(store) {
  const words = el("p", { class: "note", id: "timeline-words" });
  const place = el("div", {
    class: "scroll",
    role: "listbox",
    tabindex: 0,
    "aria-label": T.timeline.label,
    "aria-describedby": "timeline-words",
    onkeydown: onKey,
    onclick: onClick,
  });
  /** @type {Bar[]} */
  let bars = [];
  /** @type {Map<string | null | undefined, SVGGElement>} */
  let shapes = new Map();
  /** @type {Map<string | null | undefined, Mark>} */
  let marked = new Map(); // entity -> how its bar is marked now
  /** @type {SVGPathElement | null} */
  let arrow = null;
  let active = -1;
  /** @type {string | null} */
  let drawnFor = null;

  store.watch(["doc"], ({ doc }) => {
    if (!doc) return;
    words.textContent = doc.timeline
      ? T.timeline[doc.verdict === "consistent" ? "consistent" : "repaired"]
      : T.timeline[doc.verdict === "undecided" ? "undecided" : "none"];
    const shape = JSON.stringify(doc.timeline);
    if (shape !== drawnFor) {
      drawnFor = shape;
      draw(doc);
    }
    mark();
  });
  store.watch(["selection"], () => store.state.doc && mark(true));
  new ResizeObserver(() => store.state.doc && (draw(store.state.doc), mark())).observe(place);

  /** @param {Doc} doc */
  function draw(doc) {
    bars = Object.entries(doc.timeline ?? {})
      .map(([id, where]) => ({ id, ...where }))
      .sort(
        (one, other) => one.lane - other.lane || late(one.start) - late(other.start) || late(one.end) - late(other.end),
      );
    /** @type {Map<number, Map<number, number>>} */
    const lanes = new Map(); // lane -> time -> rank; 0 and the last rank are for bars without a limit
    for (const lane of new Set(bars.map((bar) => bar.lane))) {
      const times = bars
        .filter((bar) => bar.lane === lane)
        .flatMap((bar) => [bar.earliest, bar.start, bar.end, bar.latest]);
      const known = /** @type {number[]} */ ([...new Set(times)].filter((time) => time !== null));
      lanes.set(lane, new Map(known.sort((a, b) => a - b).map((time, rank) => [time, rank + 1])));
    }
    const isHeaded = lanes.size > 1 || [...lanes.values()].some((known) => !known.size);
    const ranks = 1 + Math.max(1, ...[...lanes.values()].map((known) => known.size));
    const room = Math.max(240, place.clientWidth - LABEL - 2 * MARGIN);
    const step = Math.max(COLUMN[0], Math.min(COLUMN[1], room / ranks));
    /** @type {(lane: number, time: number | null, isRight?: boolean) => number} */
    const x = (lane, time, isRight) => {
      const known = /** @type {Map<number, number>} */ (lanes.get(lane));
      return MARGIN + step * (time === null ? (isRight ? known.size + 1 : 0) : (known.get(time) ?? 0));
    };
    const width = MARGIN + step * ranks + LABEL;
    const top = (/** @type {Bar} */ bar, /** @type {number} */ row) =>
      ROW * row + (isHeaded ? PART * (1 + [...lanes.keys()].indexOf(bar.lane)) : TOP);
    const height = (bars.length ? top(bars[bars.length - 1], bars.length) : TOP) + MARGIN;
    const marks = [...lanes].flatMap(([lane, known], number) => {
      const own = bars.filter((bar) => bar.lane === lane);
      const [from, to] = [bars.indexOf(own[0]), bars.indexOf(own[own.length - 1])];
      const y = top(own[0], from);
      const dates = datesOf(own);
      const columns = [...known.keys()].filter((time) => dates.size || time % STEPS === 0);
      const grid = columns.map((time) => `M${x(lane, time)},${y - 4}V${top(own[0], to + 1)}`).join("");
      let free = 0;
      const ticks = columns.flatMap((time) => {
        const at = x(lane, time);
        if (at < free) return [];
        const words = dates.get(time) ?? String(time / STEPS);
        free = at + Math.max(NUMBER, words.length * LETTER + 6);
        return svg("text", { x: at, y: y - 9, "text-anchor": dates.size ? "start" : "middle", class: "tick" }, words);
      });
      const heading = isHeaded
        ? [
            svg("path", { d: `M0,${y - PART + 3}H${width}`, class: "grid" }),
            svg(
              "text",
              { x: MARGIN, y: y - PART + 17, class: "tick" },
              known.size ? T.timeline.part(number + 1, dates.size > 0) : T.timeline.unordered,
            ),
          ]
        : [];
      return [...heading, svg("path", { d: columns.length > GRID_LIMIT ? "" : grid, class: "grid" }), ...ticks];
    });
    arrow = svg("path", { class: "arrow" });
    shapes = new Map(bars.map((bar, row) => [bar.id, drawBar(doc, bar, row)]));
    place.replaceChildren(
      ...(bars.length
        ? [svg("svg", { class: "timeline", width, height, role: "presentation" }, marks, [...shapes.values()], arrow)]
        : []),
    );

    /**
     * @param {Doc} whole
     * @param {Bar} bar
     * @param {number} row
     */
    function drawBar(whole, bar, row) {
      const name = nameOf(whole, bar.id);
      const y = top(bar, row);
      const [left, right] = [x(bar.lane, bar.earliest), x(bar.lane, bar.latest, true)];
      const isSolid = bar.start !== null && bar.end !== null && bar.start < bar.end;
      const [from, to] = isSolid ? [x(bar.lane, bar.start), x(bar.lane, bar.end)] : [left, right];
      const kind = kindOf(whole.index.entities.get(bar.id));
      const needed = name.length * LETTER + 10;
      const at =
        needed <= to - from
          ? { x: from + 5, class: isSolid ? "inside" : "beside" }
          : to + needed <= width || from < needed
            ? { x: to + 5, class: "beside" }
            : { x: from - 5, class: "beside", "text-anchor": "end" };
      const hint = T.timeline.bar(name === bar.id ? name : `${name} (${bar.id})`, bar.words);
      const size = { y: y + 2, height: BAR, rx: 3 };
      return svg(
        "g",
        {
          class: "bar-row",
          role: "option",
          id: `bar-${row}`,
          "aria-label": hint,
          "aria-selected": "false",
          "data-entity": bar.id,
        },
        svg("title", {}, hint),
        svg("rect", { class: "lane", x: 0, y: y - 2, width, height: ROW }),
        svg("rect", { class: `range ${kind}`, x: left, width: right - left, ...size }),
        svg("rect", { class: `bar ${kind}${isSolid ? "" : " none"}`, x: from, width: to - from, ...size }),
        svg("text", { ...at, y: y + BAR - 1 }, name),
      );
    }
  }

  /**
   * Return the dates of a lane on the calendar by their times; nothing for another lane.
   * @param {Bar[]} own
   */
  function datesOf(own) {
    /** @type {Map<number, string>} */
    const dates = new Map();
    for (const bar of own)
      [bar.earliest, bar.start, bar.end, bar.latest].forEach((time, place) => {
        const date = bar.dates?.[place];
        if (time !== null && date) dates.set(time, date);
      });
    return dates;
  }

  function mark(scroll = false) {
    const { selection } = store.state;
    const next = entityMarks(store.state);
    for (const id of new Set([...marked.keys(), ...next.keys()])) {
      const shape = shapes.get(id);
      const { isChosen, isOther, isConflicted } = next.get(id) ?? PLAIN;
      shape?.classList.toggle("chosen", isChosen);
      shape?.classList.toggle("other", isOther);
      shape?.classList.toggle("conflicted", isConflicted);
      shape?.setAttribute("aria-selected", isChosen ? "true" : "false");
    }
    marked = next;
    drawArrow(selection);
    const first = shapes.get(selection.second ?? selection.first);
    if (scroll && first && !place.contains(document.activeElement)) scrollTo(first);
  }

  /** @param {SVGGElement} shape */
  function scrollTo(shape) {
    const bar = /** @type {SVGRectElement} */ (shape.querySelector(".bar"));
    const [box, view] = [bar.getBoundingClientRect(), place.getBoundingClientRect()];
    if (box.top < view.top + TOP || box.bottom > view.bottom)
      place.scrollTop += box.top - view.top - place.clientHeight / 2;
    if (box.left < view.left || box.right > view.right)
      place.scrollLeft += box.left - view.left - place.clientWidth / 3;
  }

  /**
   * An arrow from the first chosen entity to the second one.
   * @param {Selection} selection
   */
  function drawArrow({ first, second }) {
    const ends = [first, second].flatMap((id) => shapes.get(id)?.querySelector(".bar") ?? []);
    if (!arrow) return;
    if (ends.length < 2) {
      arrow.removeAttribute("d");
      return;
    }
    const number = (/** @type {Element} */ bar, /** @type {string} */ name) => Number(bar.getAttribute(name));
    const [[x1, y1], [x2, y2]] = ends.map((bar) => [
      number(bar, "x") + number(bar, "width") / 2,
      number(bar, "y") + BAR / 2,
    ]);
    const [bend, angle] = [(x1 + x2) / 2 + 18, Math.atan2(y2 - (y1 + y2) / 2, x2 - ((x1 + x2) / 2 + 18))];
    const wing = (/** @type {number} */ turn) =>
      `L${x2 - 8 * Math.cos(angle + turn)},${y2 - 8 * Math.sin(angle + turn)}`;
    arrow.setAttribute("d", `M${x1},${y1}Q${bend},${(y1 + y2) / 2} ${x2},${y2}${wing(0.45)}M${x2},${y2}${wing(-0.45)}`);
  }

  /** @param {MouseEvent} event */
  function onClick(event) {
    const id = /** @type {Element} */ (event.target).closest(".bar-row")?.getAttribute("data-entity");
    if (typeof id === "string") chooseEntity(store, id);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.ctrlKey || event.metaKey || !bars.length) return;
    if (step) move(Math.max(0, Math.min(bars.length - 1, active + step)));
    else if ((event.key === "Enter" || event.key === " ") && bars[active]) chooseEntity(store, bars[active].id);
    else return;
    event.preventDefault();
  }

  /** @param {number} next */
  function move(next) {
    shapes.get(bars[active]?.id)?.classList.remove("active");
    active = next;
    const shape = /** @type {SVGGElement} */ (shapes.get(bars[active].id));
    shape.classList.add("active");
    place.setAttribute("aria-activedescendant", shape.id);
    scrollTo(shape);
  }

  return {
    element: el(
      "section",
      { class: "pane timeline-pane", "aria-label": T.timeline.heading },
      el("div", { class: "pane-head" }, el("h2", {}, T.timeline.heading), words),
      place,
    ),
    focus: () => {
      place.focus();
      if (bars.length) move(Math.max(0, Math.min(active, bars.length - 1)));
    },
  };
}

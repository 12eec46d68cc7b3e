// One timeline on which the links hold: a bar for each entity, over columns that stand for distinct times in order.

import { el, svg } from "./dom.js";
import { kindOf, nameOf } from "./outline.js";
import { chooseEntity, entityMarks, PLAIN } from "./selection.js";
import { T } from "./texts.js";

/**
 * @import { State } from "./desk.js"
 * @import { Doc } from "./outline.js"
 * @import { Mark, Selection } from "./selection.js"
 * @import { Store } from "./store.js"
 *
 * @typedef {{id: string, start: number, end: number}} Bar
 */

const ROW = 22;
const BAR = 14;
const TOP = 24;
const MARGIN = 12;
const COLUMN = [7, 64]; // narrowest and widest
const LABEL = 150; // room for a name to the right of the last column
const LETTER = 6.6; // width of a letter, roughly
const GRID_LIMIT = 400; // columns; above that, lines would be a grey surface

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
  let marks = new Map(); // entity -> how its bar is marked now
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
    const times = doc.timeline ?? {};
    bars = Object.entries(times)
      .map(([id, [start, end]]) => ({ id, start, end }))
      .sort((one, other) => one.start - other.start || one.end - other.end);
    const columns = new Map(
      [...new Set(bars.flatMap((bar) => [bar.start, bar.end]))].sort((a, b) => a - b).map((time, rank) => [time, rank]),
    );
    const room = Math.max(240, place.clientWidth - LABEL - 2 * MARGIN);
    const step = Math.max(COLUMN[0], Math.min(COLUMN[1], room / Math.max(1, columns.size - 1)));
    const rankOf = (/** @type {number} */ time) => /** @type {number} */ (columns.get(time));
    const x = (/** @type {number} */ time) => MARGIN + step * rankOf(time);
    const right = MARGIN + step * Math.max(1, columns.size - 1);
    const [width, height] = [right + LABEL, TOP + ROW * bars.length + MARGIN];
    const grid =
      columns.size > GRID_LIMIT
        ? ""
        : [...columns.keys()].map((time) => `M${x(time)},${TOP - 4}V${height - MARGIN}`).join("");
    const every = Math.max(1, Math.round(28 / step));
    const ticks = [...columns]
      .filter(([, rank]) => rank % every === 0)
      .map(([time, rank]) =>
        svg("text", { x: x(time), y: TOP - 9, "text-anchor": "middle", class: "tick" }, String(rank)),
      );
    arrow = svg("path", { class: "arrow" });
    shapes = new Map(bars.map((bar, row) => [bar.id, drawBar(doc, bar, row)]));
    place.replaceChildren(
      ...(bars.length
        ? [
            svg(
              "svg",
              { class: "timeline", width, height, role: "presentation" },
              svg("path", { d: grid, class: "grid" }),
              ticks,
              [...shapes.values()],
              arrow,
            ),
          ]
        : []),
    );

    /**
     * @param {Doc} whole
     * @param {Bar} bar
     * @param {number} row
     */
    function drawBar(whole, bar, row) {
      const name = nameOf(whole, bar.id);
      const [left, end, y] = [x(bar.start), x(bar.end), TOP + ROW * row];
      const needed = name.length * LETTER + 10;
      const at =
        needed <= end - left
          ? { x: left + 5, class: "inside" }
          : end + needed <= width || left < needed
            ? { x: end + 5, class: "beside" }
            : { x: left - 5, class: "beside", "text-anchor": "end" };
      const hint = T.timeline.bar(name === bar.id ? name : `${name} (${bar.id})`, rankOf(bar.start), rankOf(bar.end));
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
        svg("rect", {
          class: `bar ${kindOf(whole.index.entities.get(bar.id))}`,
          x: left,
          y: y + 2,
          width: end - left,
          height: BAR,
          rx: 3,
        }),
        svg("text", { ...at, y: y + BAR - 1 }, name),
      );
    }
  }

  function mark(scroll = false) {
    const { selection } = store.state;
    const next = entityMarks(store.state);
    for (const id of new Set([...marks.keys(), ...next.keys()])) {
      const shape = shapes.get(id);
      const { isChosen, isOther, isConflicted } = next.get(id) ?? PLAIN;
      shape?.classList.toggle("chosen", isChosen);
      shape?.classList.toggle("other", isOther);
      shape?.classList.toggle("conflicted", isConflicted);
      shape?.setAttribute("aria-selected", isChosen ? "true" : "false");
    }
    marks = next;
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

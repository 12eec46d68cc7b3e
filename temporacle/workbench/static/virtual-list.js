// A table that draws only the rows in view, so that a hundred thousand rows scroll as ten do.
// The container keeps the focus and names the active row (aria-activedescendant): rows come and go while one scrolls.

import { el } from "./dom.js";

/** @import { Child } from "./dom.js" */

const SPARE = 8; // rows drawn above and below the view
let tables = 0;

/**
 * Return {element, setRows, setActive, redraw, focus, active, rows}.
 * @template Row
 * @param {object} about
 * @param {string} about.label
 * @param {{title: Child, css?: string, cell: (row: Row) => Child}[]} about.columns
 * @param {(row: Row) => string} about.key a string that stays the same
 * @param {(row: Row) => {css?: string, selected?: boolean}} [about.state]
 * @param {(row: Row) => unknown} [about.onactive] moved to by keyboard or mouse
 * @param {(row: Row) => unknown} [about.onopen] Enter or double click
 * @param {string} [about.css]
 * @param {number} [about.rowHeight]
 * @param {boolean} [about.openByClick]
 */
export function virtualList({
  label,
  columns,
  key,
  state = () => ({}),
  onactive = () => {},
  onopen = () => {},
  css = "",
  rowHeight = 34,
  openByClick = false,
}) {
  const prefix = `table${(tables += 1)}`;
  /** @type {Row[]} */
  let rows = [];
  /** @type {Map<string | null | undefined, number>} */
  let places = new Map();
  /** @type {string | null} */
  let active = null; // key of the active row
  let drawn = { from: 0, to: 0 };
  let held = false; // the pointer is down on a row

  const head = el(
    "div",
    { class: "list-head", role: "row" },
    columns.map((column) => el("span", { role: "columnheader", class: column.css ?? "" }, column.title)),
  );
  const body = el("div", { class: "list-body", role: "rowgroup" });
  const element = el(
    "div",
    {
      class: `list ${css}`,
      role: "grid",
      tabindex: 0,
      "aria-label": label,
      onkeydown: onKey,
      onscroll: () => draw(),
      onclick: (/** @type {MouseEvent} */ event) => pick(event, false),
      ondblclick: (/** @type {MouseEvent} */ event) => pick(event, true),
    },
    head,
    body,
  );
  new ResizeObserver(() => draw()).observe(element);
  body.addEventListener("pointerdown", () => (held = true));
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, release, true);

  function release() {
    if (!held) return;
    held = false;
    setTimeout(() => draw(true)); // after the click
  }

  /** @param {string | null | undefined} name */
  function rowWith(name) {
    const place = places.get(name);
    return place === undefined ? undefined : rows[place];
  }

  /**
   * @param {MouseEvent} event
   * @param {boolean} twice
   */
  function pick(event, twice) {
    const target = /** @type {Partial<Element>} */ (event.target);
    const holder = /** @type {HTMLElement | null | undefined} */ (target.closest?.("[data-key]"));
    const row = rowWith(holder?.dataset.key);
    if (row === undefined) return;
    if (twice || openByClick) onopen(row);
    else {
      setActive(key(row));
      onactive(row);
    }
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.target !== element || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(element.clientHeight / rowHeight) - 2);
    /** @type {Record<string, number>} */
    const steps = {
      ArrowDown: 1,
      ArrowUp: -1,
      j: 1,
      k: -1,
      PageDown: page,
      PageUp: -page,
      Home: -rows.length,
      End: rows.length,
    };
    const here = places.get(active) ?? -1;
    if (event.key in steps && rows.length) {
      const next = Math.max(0, Math.min(rows.length - 1, here + steps[event.key]));
      setActive(key(rows[next]));
      onactive(rows[next]);
    } else if (event.key === "Enter" && rows[here] !== undefined) onopen(rows[here]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * @param {string | null} next
   * @param {{scroll?: boolean}} [options]
   */
  function setActive(next, { scroll = true } = {}) {
    active = next;
    if (scroll) reach();
    draw(true);
  }

  /** Scroll until the active row can be seen. */
  function reach() {
    const place = places.get(active);
    if (place === undefined) return;
    const top = place * rowHeight;
    const room = element.clientHeight - head.offsetHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + room) element.scrollTop = top + rowHeight - room;
  }

  /**
   * @param {Row[]} next
   * @param {string | null} [name] of the row that becomes active
   */
  function setRows(next, name) {
    rows = next;
    places = new Map(rows.map((row, place) => [key(row), place]));
    element.setAttribute("aria-rowcount", String(rows.length + 1));
    body.style.setProperty("height", `${rows.length * rowHeight}px`);
    if (name !== undefined) {
      active = name;
      reach();
    }
    draw(true);
  }

  function draw(always = false) {
    if (held) return; // a row that is replaced under the pointer would lose the click
    const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - SPARE);
    const to = Math.min(rows.length, Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + SPARE);
    if (!always && from === drawn.from && to === drawn.to) return;
    drawn = { from, to };
    body.replaceChildren(...rows.slice(from, to).map((row, offset) => drawRow(row, from + offset)));
    const place = places.get(active);
    if (place !== undefined && place >= from && place < to)
      element.setAttribute("aria-activedescendant", `${prefix}-${place}`);
    else element.removeAttribute("aria-activedescendant");
  }

  /**
   * @param {Row} row
   * @param {number} place
   */
  function drawRow(row, place) {
    const { css: rowCss = "", selected = false } = state(row);
    const isActive = key(row) === active;
    return el(
      "div",
      {
        id: `${prefix}-${place}`,
        role: "row",
        class: `list-row ${rowCss}${isActive ? " active" : ""}`,
        "aria-rowindex": place + 2,
        "aria-selected": selected ? "true" : "false",
        dataset: { key: key(row) },
        style: { top: `${place * rowHeight}px`, height: `${rowHeight}px` },
      },
      columns.map((column) => el("span", { role: "gridcell", class: column.css ?? "" }, column.cell(row))),
    );
  }

  return {
    element,
    setRows,
    setActive,
    redraw: () => draw(true),
    focus: () => element.focus(),
    get active() {
      return rowWith(active);
    },
    get rows() {
      return rows;
    },
  };
}

"use strict";
document.documentElement.classList.add("js");
document.addEventListener("DOMContentLoaded", () => {
  for (const table of all("table.sortable")) makeSortable(table);
  for (const form of all("form.filters")) makeFilter(form);
  for (const table of all("table.disagreements")) makeChooser(table);

  // Closed details would be missing on paper.
  addEventListener("beforeprint", () => {
    for (const details of all("details:not([open])")) {
      details.open = true;
      details.dataset.closed = "";
    }
  });
  addEventListener("afterprint", () => {
    for (const details of all("details[data-closed]")) {
      details.open = false;
      delete details.dataset.closed;
    }
  });
});

/** @type {(selector: string) => any[]} */
function all(selector) {
  return [...document.querySelectorAll(selector)];
}

/** @param {HTMLTableElement} table */
function makeSortable(table) {
  const body = table.tBodies[0];
  const headers = [...(table.tHead?.rows[0].cells ?? [])];
  headers.forEach((header, column) => {
    const button = header.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const upwards = header.getAttribute("aria-sort") !== "ascending";
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", upwards ? "ascending" : "descending");
      const isNumber = header.classList.contains("number");
      /** @type {Map<HTMLTableRowElement, any>} */
      const keys = new Map(
        [...body.rows].map((row) => {
          const text = row.cells[column].textContent.trim();
          return [row, isNumber ? Number.parseFloat(text) || 0 : text];
        }),
      );
      const collator = new Intl.Collator(undefined, { numeric: true });
      /** @type {(a: any, b: any) => number} */
      const compare = isNumber ? (a, b) => a - b : collator.compare;
      const rows = [...body.rows].sort((a, b) => compare(keys.get(a), keys.get(b)) * (upwards ? 1 : -1));
      body.append(...rows);
    });
  });
}

// Draws the links of one disagreement, and the gold links of its entities, right below its row.
/** @param {any} table */
function makeChooser(table) {
  const article = table.closest("article");
  const picture = article.querySelector(".chooser");
  if (!picture) return;
  const said = picture.querySelector(".shown-pair");
  const place = document.createElement("tr");
  for (const button of table.querySelectorAll("button.choose")) {
    button.addEventListener("click", () => {
      const row = button.closest("tr");
      for (const other of table.querySelectorAll("tr.chosen")) other.classList.remove("chosen");
      row.classList.add("chosen");
      said.textContent = row.dataset.caption;
      picture.querySelector("svg").replaceWith(drawAround(article, picture, row));
      if (!place.cells.length) place.insertCell().append(picture);
      place.cells[0].colSpan = row.cells.length;
      row.after(place);
      picture.scrollIntoView({ block: "nearest" });
    });
  }
}

// As timeline_bars.py draws a timeline, with the bars of two entities and of those that links join them with.
/** @type {(article: any, picture: any, row: HTMLTableRowElement) => SVGElement} */
function drawAround(article, picture, row) {
  const pair = [row.dataset.a, row.dataset.b];
  const bars = new Map([...article.querySelectorAll("rect[data-e]")].map((bar) => [bar.dataset.e, bar]));
  const near = [...picture.querySelectorAll(".links li")]
    .map((li) => ({ ...li.dataset, words: li.textContent }))
    .filter((link) => (link.pair ? link.pair === row.dataset.pair : pair.includes(link.a) || pair.includes(link.b)));
  const wanted = new Set([...pair, ...near.flatMap((link) => [link.a, link.b])]);
  const shown = [...wanted]
    .filter((e) => bars.has(e))
    .slice(0, Number(picture.dataset.most))
    .map((e) => {
      const { start, end, caption } = bars.get(e).dataset;
      return { e, caption, start: Number(start), end: Number(end), css: bars.get(e).getAttribute("class") };
    })
    .sort((one, other) => one.start - other.start || one.end - other.end || one.e - other.e);
  const times = [...new Set(shown.flatMap((bar) => [bar.start, bar.end]))].sort((a, b) => a - b);
  const step = Math.max(9, Math.min(64, 670 / Math.max(1, times.length - 1)));
  const x = (/** @type {number} */ time) => 12 + step * times.indexOf(time);
  /** @type {Map<string, any>} */
  const y = new Map(shown.map((bar, number) => [bar.e, 24 + 22 * number]));
  const width = x(times[times.length - 1]) + 190;
  const height = 34 + 22 * shown.length;
  const parts = times.map((time) => svg("path", { d: `M${x(time)},18V${height - 12}`, class: "grid" }));
  for (const { e, start, end, css, caption } of shown) {
    parts.push(svg("rect", { x: x(start), y: y.get(e), width: x(end) - x(start), height: 14, rx: 3, class: css }));
    const fits = caption.length * 6.8 + 8 <= x(end) - x(start);
    const place = { x: fits ? x(start) + 5 : x(end) + 5, y: y.get(e) + 11, class: fits ? "inside" : "beside" };
    parts.push(svg("text", place, caption));
  }
  const middle = (/** @type {string} */ e) => {
    const bar = /** @type {any} */ (shown.find((each) => each.e === e));
    return [(x(bar.start) + x(bar.end)) / 2, y.get(e) + 7];
  };
  /** @type {Record<string, string>} */
  const dashes = { missed: "6 3", wrong: "2 3" };
  near
    .filter((link) => y.has(link.a) && y.has(link.b))
    .forEach((link, number) => {
      const [[x1, y1], [x2, y2]] = [middle(link.a), middle(link.b)];
      const [cx, cy] = [(x1 + x2) / 2 + 14 + 5 * (number % 5), (y1 + y2) / 2];
      const angle = Math.atan2(y2 - cy, x2 - cx);
      const corner = (/** @type {number} */ turn) =>
        `${x2 - 7 * Math.cos(angle + turn)},${y2 - 7 * Math.sin(angle + turn)}`;
      const line = svg("path", { d: `M${x1},${y1}Q${cx},${cy} ${x2},${y2}`, class: `link ${link.status}` });
      if (dashes[link.status]) line.setAttribute("stroke-dasharray", dashes[link.status]);
      const points = `${x2},${y2} ${corner(-Math.PI / 7)} ${corner(Math.PI / 7)}`;
      const head = svg("polygon", { points, class: `head ${link.status}` });
      const isPair = pair.includes(link.a) && pair.includes(link.b);
      const group = svg("g", { class: isPair ? "arrow" : "arrow near" }, "", svg("title", {}, link.words), line, head);
      parts.push(group);
    });
  const spoken = `${row.dataset.caption}: ${near.map((link) => link.words).join("; ")}`;
  const size = { viewBox: `0 0 ${Math.ceil(width)} ${height}`, width: Math.ceil(width), height };
  return svg("svg", { class: "drawing timeline", role: "img", "aria-label": spoken, ...size }, "", ...parts);
}

/** @type {(name: string, attributes: Record<string, any>, text?: string, ...children: SVGElement[]) => SVGElement} */
function svg(name, attributes, text = "", ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...(text ? [text] : []), ...children);
  return made;
}

const BRIEF = 300; // rows of a long table that are laid out at first

/** @param {any} form */
function makeFilter(form) {
  const table = /** @type {HTMLTableElement} */ (document.getElementById(form.dataset.table));
  const words = form.querySelector("input");
  const choice = form.querySelector("select") || { value: "" };
  const all = form.querySelector("button");
  const said = form.querySelector("output");
  const rows = [...table.tBodies[0].rows];
  /** @type {Map<HTMLTableRowElement, string> | undefined} */
  let texts; // gathered when first asked for: opening a large page must not wait for it
  let wantsAll = rows.length <= BRIEF;
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const filters = wanted.length > 0 || choice.value !== "";
    if (filters) texts ??= new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    let shown = 0;
    for (const row of rows) {
      row.hidden =
        filters &&
        !(
          wanted.every((/** @type {string} */ word) => texts?.get(row)?.includes(word)) &&
          (!choice.value || row.dataset.group === choice.value)
        );
      shown += row.hidden ? 0 : 1;
    }
    const brief = !filters && !wantsAll;
    table.classList.toggle("brief", brief);
    if (all) all.hidden = !brief;
    said.value = `${brief ? BRIEF : shown} of ${rows.length} shown`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => event.preventDefault());
  if (all)
    all.addEventListener("click", () => {
      wantsAll = true;
      apply();
    });
  apply();
}

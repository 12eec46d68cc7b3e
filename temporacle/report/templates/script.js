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

// As drawings.py draws a timeline: the places of two entities and of those that links join them with, lane by lane.
/** @type {(article: any, picture: any, row: HTMLTableRowElement) => SVGElement} */
function drawAround(article, picture, row) {
  const pair = [row.dataset.a, row.dataset.b];
  const bars = new Map([...article.querySelectorAll("rect[data-e]")].map((bar) => [bar.dataset.e, bar]));
  const near = [...picture.querySelectorAll(".links li")]
    .map((li) => ({ ...li.dataset, words: li.textContent }))
    .filter((link) => (link.pair ? link.pair === row.dataset.pair : pair.includes(link.a) || pair.includes(link.b)));
  const wanted = new Set([...pair, ...near.flatMap((link) => [link.a, link.b])]);
  const late = (/** @type {number | null} */ time) => time ?? Number.MAX_SAFE_INTEGER;
  const shown = [...wanted]
    .filter((e) => bars.has(e))
    .slice(0, Number(picture.dataset.most))
    .map((e) => {
      const [lane, earliest, start, end, latest] = JSON.parse(bars.get(e).dataset.place);
      const kind = bars
        .get(e)
        .getAttribute("class")
        .replace(/^(bar|range) /, "");
      return { e, caption: bars.get(e).dataset.caption, kind, lane, earliest, start, end, latest };
    })
    .sort(
      (one, other) => one.lane - other.lane || late(one.start) - late(other.start) || late(one.end) - late(other.end),
    );
  /** @type {Map<number, number[]>} */
  const times = new Map();
  for (const { lane, earliest, start, end, latest } of shown)
    times.set(lane, [...(times.get(lane) ?? []), ...[earliest, start, end, latest].filter((time) => time !== null)]);
  for (const [lane, all] of times)
    times.set(
      lane,
      [...new Set(all)].sort((a, b) => a - b),
    );
  const ranks = Math.max(...[...times.values()].map((all) => all.length)) + 1;
  const step = Math.max(9, Math.min(64, 670 / ranks));
  /** @type {(lane: number, time: number | null, edge: number) => number} */
  const x = (lane, time, edge) => 12 + step * (time === null ? edge : 1 + (times.get(lane)?.indexOf(time) ?? 0));
  /** @type {Map<string, any>} */
  const places = new Map();
  /** @type {SVGElement[]} */
  const parts = [];
  const width = 12 + step * ranks + 190;
  let y = 24;
  shown.forEach(({ e, lane, earliest, start, end, latest, kind, caption }, number) => {
    if (number && lane !== shown[number - 1].lane) {
      parts.push(svg("path", { d: `M0,${y + 3}H${width}`, class: "part" }));
      y += 12;
    }
    const [left, right] = [x(lane, earliest, 0), x(lane, latest, (times.get(lane)?.length ?? 0) + 1)];
    const size = { y, height: 14, rx: 3 };
    parts.push(svg("rect", { x: left, width: right - left, ...size, class: `range ${kind}` }));
    const isSolid = start !== null && end !== null && start < end;
    const [from, to] = isSolid ? [x(lane, start, 0), x(lane, end, 0)] : [left, right];
    if (isSolid) parts.push(svg("rect", { x: from, width: to - from, ...size, class: `bar ${kind}` }));
    const fits = caption.length * 6.8 + 8 <= to - from;
    const place = { x: fits ? from + 5 : to + 5, y: y + 11, class: fits && isSolid ? "inside" : "beside" };
    parts.push(svg("text", place, caption));
    places.set(e, [(from + to) / 2, y + 7]);
    y += 22;
  });
  const height = y + 10;
  /** @type {Record<string, string>} */
  const dashes = { missed: "6 3", wrong: "2 3" };
  near
    .filter((link) => places.has(link.a) && places.has(link.b))
    .forEach((link, number) => {
      const [[x1, y1], [x2, y2]] = [places.get(link.a), places.get(link.b)];
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

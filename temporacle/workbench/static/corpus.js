// The corpus page: documents and their verdicts, as they are decided.

import { documentPath, get, pageAddress, post, reviewsAddress, stream } from "./api.js";
import { afterPause, button, data, el, verdictMark } from "./dom.js";
import { complain, frame, watchConnection } from "./frame.js";
import { bindKeys } from "./keys.js";
import { keepNeighbours } from "./neighbours.js";
import { T } from "./texts.js";
import { virtualList } from "./virtual-list.js";

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} verdict
 * @property {string | null} [path]
 * @property {string | null} [error]
 * @property {number | null} [links]
 * @property {Record<string, number>} [skipped_links]
 * @property {number | null} [entities]
 * @property {number | null} [conflicts]
 * @property {number | null} [unsaved]
 * @property {number} [differences] of a comparison
 * @property {number} [taken]
 * @property {boolean} [reviewed]
 * @property {string} [note]
 * @property {string[]} [labels]
 * @property {string[]} [codes]
 * @property {number[]} [sizes] of conflicts
 *
 * @typedef {{by: string, down: boolean}} Sorting
 */

const ORDER = ["inconsistent", "unreadable", "undecided", "unchecked", "pending", "consistent"];
const PLACE = "temporacle-place"; // in the session of the browser
const REDRAW = 200; // milliseconds between two drawings while verdicts come in

/** @type {Map<string, Row>} */
const documents = new Map();
const collator = new Intl.Collator("en", { numeric: true });
const search = el("input", { type: "search", id: "search", oninput: afterPause(80, show), onkeydown: fromSearch });
const filter = el(
  "select",
  { id: "filter", onchange: show },
  el("option", { value: "" }, T.corpus.all),
  ORDER.map((verdict) => el("option", { value: verdict }, T.verdict(verdict))),
);
const more = el("select", { id: "more", onchange: show }, el("option", { value: "" }, T.corpus.everything));
const review = el("span", { id: "review", role: "status" });
const shown = el("output", { id: "shown" });
/** @type {Sorting} */
let sorting = { by: "verdict", down: false };
const rank = new Map(ORDER.map((verdict, place) => [verdict, place]));
/** @type {Record<string, (row: Row) => number | string>} what a column is sorted by */
const VALUES = {
  id: (row) => row.id,
  verdict: (row) => rank.get(row.verdict) ?? ORDER.length,
  links: (row) => row.links ?? 0,
  entities: (row) => row.entities ?? 0,
  conflicts: (row) => row.conflicts ?? 0,
  unsaved: (row) => row.unsaved ?? 0,
  decided: (row) => (row.differences ? (row.taken ?? 0) / row.differences : 1),
  reviewed: (row) => Number(row.reviewed ?? false),
};
const heads = Object.fromEntries(
  Object.keys(VALUES).map((name) => [
    name,
    button(/** @type {any} */ (T.corpus.columns)[name], () => sortBy(name), { class: "sort", tabindex: -1 }),
  ]),
);
const bar = el("progress", { id: "progress", "aria-label": T.corpus.heading });
const progress = el("span", { id: "progress-words", role: "status" });
const summary = el("p", { id: "summary" });
const statistics = el("div", { id: "statistics" });
const figures = el(
  "details",
  { class: "figures", ontoggle: () => figures.open && showFigures() },
  el("summary", {}, T.corpus.statistics),
  statistics,
);
const agreement = el("span", { id: "agreement" });
const remarks = el("div", { id: "remarks", role: "note", "aria-label": T.corpus.remarks });
const nothing = el("p", { class: "soft", hidden: true });
const list = virtualList({
  label: T.corpus.list,
  css: "documents",
  rowHeight: 38,
  openByClick: true,
  key: (row) => row.id,
  onopen: open,
  columns: [
    {
      title: heads.id,
      css: "wide",
      cell: (row) => [
        el("a", { href: address(row), tabindex: -1 }, data(row.id)),
        el("span", { class: `soft path${row.error ? " error" : ""}` }, row.error ?? data(row.path ?? "")),
      ],
    },
    {
      title: heads.verdict,
      css: "verdict-cell",
      cell: (row) => verdictMark(row.verdict, T.verdict(row.verdict)),
    },
    { title: heads.links, css: "number", cell: linksOf },
    { title: heads.entities, css: "number spare", cell: (row) => String(row.entities ?? "") },
    { title: heads.conflicts, css: "number", cell: (row) => (row.conflicts ? String(row.conflicts) : "") },
    { title: heads.unsaved, css: "number", cell: (row) => (row.unsaved ? String(row.unsaved) : "") },
    {
      title: heads.decided,
      css: "number decided",
      cell: (row) => (row.differences === undefined ? "" : T.corpus.decided(row.taken ?? 0, row.differences)),
    },
    {
      title: heads.reviewed,
      css: "reviewed",
      cell: (row) =>
        el("span", { title: row.note || null }, row.reviewed ? T.corpus.reviewed : "", row.note ? ` ${row.note}` : ""),
    },
  ],
});

/** @param {Row} row */
function linksOf(row) {
  const left = Object.values(row.skipped_links ?? {}).reduce((sum, n) => sum + n, 0);
  const words = ` (${left.toLocaleString("en")}`;
  return el(
    "span",
    {},
    row.links?.toLocaleString("en") ?? "",
    left ? el("span", { class: "doubt" }, words, el("span", { class: "word" }, T.corpus.skipped), ")") : null,
  );
}

/** @param {Row} row */
function isComparison(row) {
  return row.differences !== undefined && row.differences !== null;
}

/** @param {Row} row */
function address(row) {
  return pageAddress(isComparison(row) ? "adjudicate" : "document", row.id);
}

/** @param {Row} row */
function open(row) {
  if (row.verdict === "unreadable") return;
  const place = { words: search.value, verdict: filter.value, more: more.value, sorting, active: row.id };
  sessionStorage.setItem(PLACE, JSON.stringify(place));
  keepNeighbours(list.rows.filter((each) => each.verdict !== "unreadable").map((each) => each.id));
  location.href = address(row);
}

/** Come back to the place in the list from which a document was opened. */
function restore() {
  const place = JSON.parse(sessionStorage.getItem(PLACE) ?? "null");
  if (!place) return;
  sessionStorage.removeItem(PLACE);
  search.value = place.words;
  filter.value = place.verdict;
  sorting = place.sorting ?? sorting;
  showMore();
  more.value = place.more ?? "";
  show();
  list.setActive(place.active);
  hasMoved = true;
}

/** @param {KeyboardEvent} event */
function fromSearch(event) {
  if (event.key !== "ArrowDown" && event.key !== "Enter") return;
  event.preventDefault();
  show();
  list.focus();
  if (list.rows.length) list.setActive(list.rows[0].id);
}

/** @param {string} name */
function sortBy(name) {
  sorting = { by: name, down: sorting.by === name ? !sorting.down : name !== "id" && name !== "verdict" };
  show();
}

/** Sort by the next column. */
function sortNext() {
  const names = Object.keys(VALUES).filter((name) => name !== "decided" || [...documents.values()].some(isComparison));
  sortBy(names[(names.indexOf(sorting.by) + 1) % names.length]);
}

/** Offer the labels, codes and sizes of conflicts that occur. */
function showMore() {
  const rows = [...documents.values()];
  /** @param {(row: Row) => string[]} of */
  const found = (of) => [...new Set(rows.flatMap(of))].sort(collator.compare);
  const groups = {
    review: ["reviewed", "open", "noted"],
    size: found((row) => (row.sizes ?? []).map(String)),
    label: found((row) => row.labels ?? []),
    code: found((row) => row.codes ?? []),
  };
  const chosen = more.value;
  more.replaceChildren(
    el("option", { value: "" }, T.corpus.everything),
    ...Object.entries(groups)
      .filter(([, names]) => names.length)
      .map(([group, names]) =>
        el(
          "optgroup",
          { label: T.corpus.groups[group] },
          names.map((name) => el("option", { value: `${group} ${name}` }, T.corpus.facet(group, name))),
        ),
      ),
  );
  more.value = chosen;
}

/** @param {Row} row */
function isWanted(row) {
  const [group, ...rest] = more.value.split(" ");
  const name = rest.join(" ");
  if (group === "size") return (row.sizes ?? []).includes(Number(name));
  if (group === "label") return (row.labels ?? []).includes(name);
  if (group === "code") return (row.codes ?? []).includes(name);
  if (group === "review") return name === "noted" ? Boolean(row.note) : row.reviewed === (name === "reviewed");
  return true;
}

/** Note that the active document is reviewed, or not, with a note. */
async function reviewActive() {
  const row = list.active;
  if (!row) return;
  const note = row.reviewed ? row.note : prompt(T.corpus.noteFor(row.id), row.note ?? "");
  if (note === null) return;
  try {
    Object.assign(row, await post(`${documentPath(row.id)}/review`, { reviewed: !row.reviewed, note }));
    show();
    list.redraw();
  } catch (error) {
    complain(error);
  }
}

/** Show figures of the corpus: they are worked out when they are asked for, and at the end. */
async function showFigures() {
  try {
    const found = await get("api/statistics");
    agreement.textContent = found.agreement ? T.corpus.agreement(found.agreement) : "";
    const tables = [
      table(T.corpus.byLabel, found.labels),
      table(T.corpus.bySize, found.sizes_of_conflicts),
      table(T.corpus.skippedBy, found.skipped_links),
    ];
    statistics.replaceChildren(el("p", {}, T.corpus.figures(found)), ...tables.flatMap((each) => each ?? []));
  } catch (error) {
    complain(error);
  }
}

/**
 * @param {{name: string, count: string}} heads
 * @param {Record<string, number>} counts
 */
function table(heads, counts) {
  const rows = Object.entries(counts).sort((one, other) => other[1] - one[1]);
  if (!rows.length) return null;
  return el(
    "table",
    {},
    el(
      "tr",
      {},
      [heads.name, heads.count].map((head) => el("th", { scope: "col" }, head)),
    ),
    rows.map(([name, n]) =>
      el("tr", {}, el("td", {}, data(name)), el("td", { class: "number" }, n.toLocaleString("en"))),
    ),
  );
}

function show() {
  const words = search.value.toLowerCase().split(/\s+/u).filter(Boolean);
  const matching = [...documents.values()].filter(
    (row) =>
      (!filter.value || row.verdict === filter.value) &&
      isWanted(row) &&
      words.every((word) => `${row.id} ${row.path ?? ""} ${row.note ?? ""}`.toLowerCase().includes(word)),
  );
  const value = VALUES[sorting.by];
  const way = sorting.down ? -1 : 1;
  matching.sort((one, other) => {
    const [first, second] = [value(one), value(other)];
    const order = typeof first === "number" ? first - Number(second) : collator.compare(first, String(second));
    return way * order || collator.compare(one.id, other.id);
  });
  for (const [name, head] of Object.entries(heads)) {
    const direction = sorting.down ? "descending" : "ascending";
    head.parentElement?.setAttribute("aria-sort", name === sorting.by ? direction : "none");
  }
  const reviewed = [...documents.values()].filter((row) => row.reviewed).length;
  review.textContent = T.corpus.review(reviewed, documents.size);
  list.setRows(matching);
  list.element.classList.toggle("compared", matching.some(isComparison));
  shown.textContent = T.corpus.shown(matching.length, documents.size);
  nothing.hidden = matching.length > 0;
  nothing.textContent = documents.size ? T.corpus.nothing : T.corpus.empty;
  const counts = Object.fromEntries(ORDER.map((verdict) => [verdict, 0]));
  for (const row of documents.values()) counts[row.verdict] = (counts[row.verdict] ?? 0) + 1;
  summary.textContent = T.corpus.summary(counts);
  const done = documents.size - counts.pending;
  bar.max = Math.max(1, documents.size);
  bar.value = done;
  bar.hidden = done === documents.size;
  progress.textContent = T.corpus.progress(done, documents.size);
}

/** @type {ReturnType<typeof setTimeout> | 0} */
let waiting = 0;
function showSoon() {
  if (waiting) return;
  waiting = setTimeout(() => {
    waiting = 0;
    show();
  }, REDRAW);
}

async function fetchList() {
  const rows = await get("api/documents", [["wait", "0"]]);
  documents.clear();
  for (const row of rows) documents.set(row.id, row);
  showMore();
  show();
  if (!hasMoved && list.rows.length) list.setActive(list.rows[0].id, { scroll: false });
}

let hasMoved = false; // someone has chosen a row
for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, () => (hasMoved = true), { once: true });

async function load() {
  try {
    await fetchList();
    restore();
    await stream("api/progress", (row) => {
      if (row.done) {
        remarks.replaceChildren(...(row.remarks ?? []).map((/** @type {string} */ words) => el("p", {}, words)));
        return;
      }
      documents.set(row.id, row);
      showSoon();
    });
    showFigures();
    await fetchList(); // a file that holds several documents has been replaced by them
  } catch (error) {
    progress.textContent = T.corpus.interrupted;
    complain(error);
  }
}

frame({
  title: T.corpus.heading,
  head: el(
    "div",
    { class: "filters" },
    el("label", {}, T.corpus.search, search),
    el("label", {}, T.corpus.verdict, filter),
    el("label", {}, T.corpus.more, more),
    shown,
  ),
  main: el(
    "main",
    {},
    el(
      "div",
      { class: "progress-line" },
      bar,
      progress,
      summary,
      review,
      el("a", { href: reviewsAddress(), download: "" }, T.corpus.exportReviews),
      agreement,
    ),
    figures,
    remarks,
    list.element,
    nothing,
    el("p", { class: "soft hint" }, T.corpus.hint),
  ),
});
watchConnection({
  follow: (to) => {
    location.href = to;
  },
  onback: load,
});
bindKeys([
  { keys: ["/"], words: T.keys.search, action: () => search.focus() },
  { keys: ["v"], words: T.keys.filter, action: () => filter.focus() },
  { keys: ["s"], words: T.keys.sort, action: sortNext },
  { keys: ["S"], words: T.keys.turn, action: () => sortBy(sorting.by) },
  { keys: ["m"], words: T.keys.more, action: () => more.focus() },
  { keys: ["x"], words: T.keys.review, action: reviewActive },
  { keys: ["l"], words: T.keys.list, action: () => list.focus() },
  { keys: ["ArrowDown", "ArrowUp", "j", "k"], words: T.keys.move, action: () => list.focus() },
  {
    keys: ["Enter"],
    words: T.keys.open,
    action: () => {
      if (list.active) open(list.active);
    },
  },
  {
    keys: ["Escape"],
    words: null,
    typing: true,
    action: () => {
      search.value = "";
      filter.value = "";
      more.value = "";
      show();
      list.focus();
    },
  },
]);
addEventListener("pageshow", (event) => {
  if (event.persisted) load();
}); // back from a document: its verdict may have changed
load();

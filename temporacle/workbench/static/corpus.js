// The corpus page: documents and their verdicts, as they are decided.

import { get, pageAddress, stream } from "./api.js";
import { afterPause, data, el, verdictMark } from "./dom.js";
import { complain, frame, watchConnection } from "./frame.js";
import { bindKeys } from "./keys.js";
import { T } from "./texts.js";
import { virtualList } from "./virtual-list.js";

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} verdict
 * @property {string | null} [path]
 * @property {string | null} [error]
 * @property {number | null} [links]
 * @property {number | null} [entities]
 * @property {number | null} [conflicts]
 * @property {number | null} [unsaved]
 * @property {number} [differences] of a comparison
 * @property {number} [taken]
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
const shown = el("output", { id: "shown" });
const bar = el("progress", { id: "progress", "aria-label": T.corpus.heading });
const progress = el("span", { id: "progress-words", role: "status" });
const summary = el("p", { id: "summary" });
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
      title: T.corpus.columns.id,
      css: "wide",
      cell: (row) => [
        el("a", { href: address(row), tabindex: -1 }, data(row.id)),
        el("span", { class: "soft path" }, row.error ?? row.path ?? ""),
      ],
    },
    {
      title: T.corpus.columns.verdict,
      css: "verdict-cell",
      cell: (row) => verdictMark(row.verdict, T.verdict(row.verdict)),
    },
    { title: T.corpus.columns.links, css: "number", cell: (row) => String(row.links ?? "") },
    { title: T.corpus.columns.entities, css: "number spare", cell: (row) => String(row.entities ?? "") },
    { title: T.corpus.columns.conflicts, css: "number", cell: (row) => (row.conflicts ? String(row.conflicts) : "") },
    { title: T.corpus.columns.unsaved, css: "number", cell: (row) => (row.unsaved ? String(row.unsaved) : "") },
    {
      title: T.corpus.columns.decided,
      css: "number decided",
      cell: (row) => (row.differences === undefined ? "" : T.corpus.decided(row.taken ?? 0, row.differences)),
    },
  ],
});

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
  sessionStorage.setItem(PLACE, JSON.stringify({ words: search.value, verdict: filter.value, active: row.id }));
  location.href = address(row);
}

/** Come back to the place in the list from which a document was opened. */
function restore() {
  const place = JSON.parse(sessionStorage.getItem(PLACE) ?? "null");
  if (!place) return;
  sessionStorage.removeItem(PLACE);
  search.value = place.words;
  filter.value = place.verdict;
  show();
  list.setActive(place.active);
}

/** @param {KeyboardEvent} event */
function fromSearch(event) {
  if (event.key !== "ArrowDown" && event.key !== "Enter") return;
  event.preventDefault();
  show();
  list.focus();
  if (list.rows.length) list.setActive(list.rows[0].id);
}

function show() {
  const words = search.value.toLowerCase().split(/\s+/u).filter(Boolean);
  const matching = [...documents.values()].filter(
    (row) =>
      (!filter.value || row.verdict === filter.value) &&
      words.every((word) => `${row.id} ${row.path ?? ""}`.toLowerCase().includes(word)),
  );
  const rank = new Map(ORDER.map((verdict, place) => [verdict, place]));
  matching.sort(
    (one, other) => (rank.get(one.verdict) ?? 9) - (rank.get(other.verdict) ?? 9) || collator.compare(one.id, other.id),
  );
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
  show();
  if (!list.active && list.rows.length) list.setActive(list.rows[0].id, { scroll: false });
}

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
    shown,
  ),
  main: el(
    "main",
    {},
    el("div", { class: "progress-line" }, bar, progress, summary),
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
      show();
      list.focus();
    },
  },
]);
addEventListener("pageshow", (event) => {
  if (event.persisted) load();
}); // back from a document: its verdict may have changed
load();

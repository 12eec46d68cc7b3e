// The document page: its parts, its toolbar, its keys.

import { exportAddress, pageAddress, post } from "./api.js";
import { openDesk } from "./desk.js";
import { button, el, verdictMark } from "./dom.js";
import { findingsView } from "./findings-view.js";
import { complain, frame, notify, say, watchConnection } from "./frame.js";
import { bindKeys } from "./keys.js";
import { linksView } from "./links-view.js";
import { neighbourKeys } from "./neighbours.js";
import { pairView } from "./pair-view.js";
import { chooseConflict, clearSelection } from "./selection.js";
import { textView } from "./text-view.js";
import { T } from "./texts.js";
import { threeWay } from "./three-way.js";
import { timelineView } from "./timeline-view.js";
import { takeUnsent, unsentAddress } from "./unsent.js";

/**
 * @import { Desk } from "./desk.js"
 * @import { Binding } from "./keys.js"
 * @import { Doc } from "./outline.js"
 *
 * @typedef {ReturnType<typeof partsOf>} Parts
 */

const RECOVERED = `temporacle-recovered-${location.search}`; // in the session of the browser: recovered edits were seen
const id = new URLSearchParams(location.search).get("id");

if (id === null) {
  frame({ title: T.errors.missing, head: null, main: el("main"), way: T.document.way });
} else {
  start(openDesk(id), id);
}

/** @param {Desk} desk */
function partsOf(desk) {
  const { store } = desk;
  const text = textView(store);
  const findings = findingsView(desk);
  const pair = pairView(desk);
  const timeline = timelineView(store);
  const links = linksView(store, { onopen: () => pair.focus() });
  return { text, findings, pair, links, timeline }; // in the order of the page
}

/**
 * @param {Desk} desk
 * @param {string} id
 */
function start(desk, id) {
  const { store } = desk;
  const parts = partsOf(desk);
  const facts = el("span", { class: "soft", id: "facts" });
  store.watch(["doc"], ({ doc }) => {
    facts.textContent = doc ? T.document.facts(doc) : "";
  });
  frame({
    title: id,
    head: toolbar(desk, id, () => help()),
    way: T.document.way,
    aside: facts,
    main: el(
      "main",
      {},
      Object.values(parts).map((part) => part.element),
    ),
  });
  const help = bindKeys([...keys(desk, parts), ...neighbourKeys("document", id)]);
  watchConnection({
    unsent: () => store.state.unsent?.did ?? null,
    onback: () => desk.read().then(() => offer(desk)),
    follow: (address) => follow(desk, id, address),
  });
  addEventListener("beforeunload", (event) => {
    // Confirmed edits are in the journal: only what the server does not have yet would be lost.
    if (store.state.unsent || store.state.draft) event.preventDefault();
  });
  say(T.document.loading);
  desk.read().then((doc) => {
    if (!doc) return;
    say("");
    greet(desk, doc);
    const carried = takeUnsent();
    if (carried) store.set({ unsent: carried });
    offer(desk);
  });
}

/**
 * @param {Desk} desk
 * @param {Doc} doc
 */
function greet(desk, doc) {
  if (doc.recovered && !sessionStorage.getItem(RECOVERED))
    notify(T.document.recovered(doc.recovered), {
      actions: [
        { label: T.actions.keep, action: () => sessionStorage.setItem(RECOVERED, "seen") },
        { label: T.actions.discard, action: () => desk.discard() },
      ],
    });
  if (doc.conflicts.length) chooseConflict(desk.store, 0);
}

/**
 * Offer an edit that the server did not confirm. It is never applied without a click: it may have arrived, or come from an address.
 * @param {Desk} desk
 */
function offer(desk) {
  const { unsent } = desk.store.state;
  if (!unsent) return;
  const forget = () => desk.store.set({ unsent: null });
  notify(T.document.unsentOffer(unsent.did), {
    actions: [
      {
        label: T.actions.apply,
        action: () => {
          forget();
          desk.again(unsent);
        },
      },
      { label: T.actions.forget, action: forget },
    ],
  });
}

/**
 * @param {Desk} desk
 * @param {string} id
 * @param {string} address
 */
function follow(desk, id, address) {
  const target = unsentAddress(address, id, desk.store.state.unsent);
  if (!target) {
    notify(T.connection.badAddress, { kind: "bad" });
    return;
  }
  desk.store.set({ unsent: null, draft: null });
  location.href = target;
}

/** @param {Desk} desk */
function save(desk) {
  desk.save(() => threeWay(desk));
}

/**
 * @param {Desk} desk
 * @param {string} id
 * @param {() => void} help
 */
function toolbar(desk, id, help) {
  const { store } = desk;
  const verdict = el("span", { id: "verdict" });
  const unsaved = el("span", { id: "unsaved", class: "soft" });
  const undo = button(T.actions.undo, () => desk.undo(), { id: "undo" });
  const redo = button(T.actions.redo, () => desk.redo(), { id: "redo" });
  const saving = button(T.actions.save, () => save(desk), { id: "save", class: "main" });
  const discard = button(
    T.actions.discard,
    () => {
      if (confirm(T.document.discardSure(store.state.doc.unsaved))) desk.discard();
    },
    { id: "discard", class: "quiet" },
  );
  const reviewed = el("input", { type: "checkbox", id: "reviewed", onchange: review });
  async function review() {
    try {
      const { note } = store.state.doc;
      const answer = await post(`${desk.path}/review`, { reviewed: reviewed.checked, note });
      Object.assign(store.state.doc, answer);
      say(T.document.isReviewed(answer.reviewed));
    } catch (error) {
      complain(error);
    }
  }
  const format = el("select", { "aria-label": T.document.exportAs, id: "format" });
  const exporting = button(
    T.actions.export,
    () => {
      const { links, exports_comments: holding } = store.state.doc;
      const lost = links.some((link) => link.comment) && !holding.includes(format.value);
      if (lost && !confirm(T.document.withoutComments(format.value))) return;
      location.href = exportAddress(id, format.value, !lost);
    },
    { id: "export", class: "quiet" },
  );
  const why = el("span", { class: "doubt", id: "why-export" });
  store.watch(["doc", "busy"], ({ doc, busy }) => {
    document.body.classList.toggle("busy", busy);
    if (!doc) return;
    const { read_only: readOnly } = doc;
    verdict.replaceChildren(verdictMark(doc.verdict, T.verdict(doc.verdict)));
    unsaved.textContent = readOnly ? T.document.readOnly : T.document.unsaved(doc.unsaved);
    unsaved.classList.toggle("pending", doc.unsaved > 0);
    undo.disabled = !doc.undo;
    redo.disabled = !doc.redo;
    saving.disabled = !doc.unsaved;
    discard.disabled = !doc.unsaved;
    for (const each of [undo, redo, discard]) each.hidden = readOnly;
    reviewed.checked = doc.reviewed;
    reviewed.disabled = readOnly;
    saving.hidden = readOnly || doc.saves === "export";
    exporting.classList.toggle("main", doc.saves === "export");
    why.textContent = !readOnly && doc.saves === "export" ? T.document.exportOnly(doc.why_export) : "";
    const formats = doc.exports?.length ? doc.exports : ["jsonl"];
    if (format.options.length !== formats.length)
      format.replaceChildren(...formats.map((name) => el("option", { value: name }, name)));
  });
  return el(
    "div",
    { class: "toolbar" },
    verdict,
    unsaved,
    el("label", {}, reviewed, " ", T.document.reviewed),
    el(
      "span",
      { class: "buttons" },
      undo,
      redo,
      saving,
      discard,
      el("span", { class: "exporting" }, format, exporting),
      button(T.actions.help, help, { class: "quiet", id: "help" }),
    ),
    why,
  );
}

/**
 * @param {Desk} desk
 * @param {Parts} parts
 * @returns {Binding[]}
 */
function keys(desk, parts) {
  const { store } = desk;
  const turn = (/** @type {number} */ step) => {
    const { doc, selection } = store.state;
    const all = doc.conflicts.length;
    if (all) chooseConflict(store, ((selection.conflict ?? (step > 0 ? -1 : 0)) + step + all) % all);
  };
  const withLink = (/** @type {(link: string) => unknown} */ action) => () =>
    store.state.selection.link === null ? say(T.document.noLink) : action(store.state.selection.link);
  return [
    { keys: ["t"], words: T.keys.text, action: () => parts.text.focus() },
    { keys: ["f"], words: T.keys.findings, action: () => parts.findings.focus() },
    { keys: ["p"], words: T.keys.pair, action: () => parts.pair.focus() },
    { keys: ["l"], words: T.keys.links, action: () => parts.links.focus() },
    { keys: ["g"], words: T.keys.timeline, action: () => parts.timeline.focus() },
    { keys: ["/"], words: T.keys.search, action: () => parts.links.search() },
    { keys: ["n"], words: T.keys.nextConflict, action: () => turn(1) },
    { keys: ["N"], words: T.keys.previousConflict, action: () => turn(-1) },
    {
      keys: ["Delete"],
      words: T.keys.remove,
      action: withLink((link) => {
        if (!store.state.doc.read_only) desk.remove([link]);
      }),
    },
    { keys: ["z"], words: T.keys.whole, action: () => parts.text.unfold() },
    { keys: ["x"], words: T.keys.review, action: () => document.getElementById("reviewed")?.click() },
    { keys: ["c"], words: T.keys.comment, action: withLink((link) => parts.pair.comment(link)) },
    { keys: ["Ctrl+z", "u"], words: T.keys.undo, action: () => desk.undo() },
    { keys: ["Ctrl+y", "Ctrl+Z", "r"], words: T.keys.redo, action: () => desk.redo() },
    { keys: ["Ctrl+s"], words: T.keys.save, typing: true, action: () => save(desk) },
    {
      keys: ["Escape"],
      words: T.keys.clear,
      typing: true,
      action: () => {
        clearSelection(store);
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      },
    },
    {
      keys: ["b"],
      words: T.keys.back,
      action: () => {
        location.href = pageAddress("./");
      },
    },
  ];
}

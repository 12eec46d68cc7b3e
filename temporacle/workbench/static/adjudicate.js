// The adjudication page: annotators side by side, one difference at a time. What follows from a decision is folded away.

import { get, logAddress, pageAddress, post, RequestError } from "./api.js";
import { openDesk } from "./desk.js";
import { differenceView, linkLine, pairText, sideCell } from "./difference-view.js";
import { button, data, el, verdictMark } from "./dom.js";
import { complain, frame, notify, say, watchConnection } from "./frame.js";
import { bindKeys } from "./keys.js";
import { neighbourKeys } from "./neighbours.js";
import { NOTHING } from "./selection.js";
import { createStore } from "./store.js";
import { textView } from "./text-view.js";
import { T } from "./texts.js";
import { virtualList } from "./virtual-list.js";

/**
 * @import { Desk } from "./desk.js"
 * @import { Detail, Difference, State as Outcome, Taken } from "./difference-view.js"
 * @import { Link } from "./outline.js"
 *
 * @typedef {object} Found the differences as the server has them, in the order of the text
 * @property {Difference[]} differences
 * @property {string[]} names
 * @property {number} agreed
 * @property {Link[][]} contradictions a conflict of each side's own links
 * @property {Detail | null} next
 *
 * @typedef {object} Figures
 * @property {number | null} kappa
 * @property {number | null} alpha
 * @property {(number | null)[][]} awareness
 * @property {{kappa: number | null, awareness: (number | null)[]}[]} with_result
 *
 * @typedef {object} State
 * @property {Difference[]} differences null until they are read
 * @property {Detail | null} current the difference that is shown
 * @property {boolean} folded differences that are settled are not listed
 * @property {"informative" | "text"} order in which differences are asked about
 */

const MOST_AGREED = 1000; // links listed under the agreements
const PAUSE = 1500; // milliseconds after a decision, before agreement is computed again
const KEYS = 9;

const id = new URLSearchParams(location.search).get("id");

if (id === null) frame({ title: T.errors.missing, head: null, main: el("main"), way: T.document.way });
else begin(openDesk(id), id);

/**
 * @param {Desk} desk
 * @param {string} id
 */
async function begin(desk, id) {
  say(T.adjudicate.loading);
  const waiting = el("main", {}, el("p", { class: "soft" }, T.adjudicate.loading));
  document.body.append(waiting);
  try {
    const [found] = await Promise.all([get(`${desk.path}/differences`), desk.read()]);
    waiting.remove();
    start(desk, id, found);
  } catch (error) {
    waiting.remove();
    frame({ title: id, way: T.document.way, head: null, main: el("main") });
    complain(error);
  }
  say("");
}

/**
 * @param {Desk} desk
 * @param {string} id
 * @param {Found} found
 */
function start(desk, id, found) {
  const { names, agreed: agreedCount } = found;
  const mended = names.map((name, place) => (found.contradictions[place].length ? T.adjudicate.mended(name) : name));
  /** @type {State} */
  const initial = { differences: found.differences, current: found.next, folded: true, order: "informative" };
  const store = createStore(initial);
  /** @type {Figures | null} */
  let firstFigures = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();

  const list = virtualList({
    label: T.adjudicate.list,
    css: "differences",
    key: (/** @type {Difference} */ row) => String(row.number),
    onactive: (row) => goTo(row.number),
    state: (row) => ({
      css: row.taken === null ? "open" : "decided",
      selected: row.number === store.state.current?.number,
    }),
    columns: [
      { title: T.adjudicate.columns.number, css: "number", cell: (row) => String(row.number + 1) },
      { title: T.adjudicate.columns.pair, css: "wide", cell: (row) => data(pairText(desk.store.state.doc, row)) },
      ...names.map((name, place) => ({
        title: el("bdi", {}, name),
        cell: (/** @type {Difference} */ row) => sideCell(desk.store.state.doc, row, row.sides[place]),
      })),
      { title: T.adjudicate.columns.taken, css: "taken", cell: takenMark },
    ],
  });
  list.element.style.setProperty("--sides", String(names.length));
  const detail = el("section", { class: "pane difference", "aria-label": T.adjudicate.columns.pair });
  const done = el("div", { class: "done", role: "status" });
  const agreed = el("details", { class: "agreed", ontoggle: showAgreed });
  const bar = el("progress", { id: "progress", "aria-labelledby": "progress-words" });
  const progress = el("span", { id: "progress-words", role: "status" });
  const verdict = el("span", { id: "verdict" });
  const figures = el("p", { id: "agreement", class: "soft" });
  const saving = button(T.adjudicate.save, save, { id: "save", class: "main" });
  const folding = button("", fold, { id: "fold", class: "quiet" });
  const ordering = button("", reorder, { id: "order", class: "quiet" });

  /** @param {Difference} row */
  function takenMark(row) {
    const words = row.taken ? names[row.taken - 1] : T.adjudicate.taken[row.taken === null ? "null" : 0];
    const isSettled = row.taken !== null && row.why !== "decided" && row.why !== "edited";
    return el("span", { class: `taken-${row.taken}` }, data(words), isSettled ? ` ${T.adjudicate.settledMark}` : "");
  }

  /** @param {Difference} row */
  function isSettled(row) {
    return row.taken !== null && row.why !== "decided" && row.why !== "edited";
  }

  function show() {
    const { differences, current, folded, order } = store.state;
    const { doc } = desk.store.state;
    if (!differences || !doc) return;
    const settled = differences.filter(isSettled).length;
    const decided = differences.filter((row) => row.taken !== null).length - settled;
    const left = differences.length - decided - settled;
    verdict.replaceChildren(verdictMark(doc.verdict, T.verdict(doc.verdict)));
    bar.max = Math.max(1, differences.length);
    bar.value = differences.length ? decided + settled : 1;
    progress.textContent = T.adjudicate.progress(decided, settled, differences.length);
    folding.textContent = T.adjudicate.fold(folded, settled);
    folding.hidden = !settled;
    ordering.textContent = T.adjudicate.order[order];
    const listed = folded
      ? differences.filter((row) => !isSettled(row) || row.number === current?.number)
      : differences;
    list.setRows(listed, current ? String(current.number) : undefined);
    detail.hidden = !current;
    if (current) detail.replaceChildren(...parts(current));
    done.replaceChildren(
      ...(left ? [] : [el("p", {}, differences.length ? T.adjudicate.done(differences.length) : T.adjudicate.same)]),
      ...(doc.verdict === "inconsistent" ? [repairWords()] : []),
    );
    saving.classList.toggle("ready", !left);
    saving.disabled = doc.read_only || doc.verdict === "inconsistent";
  }

  /** @param {Detail} row */
  function parts(row) {
    const view = differenceView({ doc: desk.store.state.doc, row, names, mended, take, show: goTo });
    return view.filter((each) => each !== null);
  }

  /** Say first of all that agreed links contradict each other: no side can be taken before they are mended. */
  function repairWords() {
    const { doc } = desk.store.state;
    return el(
      "section",
      { class: "pane blocked" },
      el("p", { class: "bad" }, T.adjudicate.inconsistent),
      doc.conflicts.map((conflict) =>
        el(
          "ul",
          { class: "facts" },
          /** @type {Link[]} */ (conflict).map((link) => linkLine(doc, link)),
        ),
      ),
      el("p", {}, doc.needs ?? ""),
      el(
        "div",
        { class: "actions" },
        doc.repair_ids?.length && !doc.read_only
          ? button(T.adjudicate.removeThem(doc.repair_ids), acceptRepair, { class: "repair" })
          : null,
        el("a", { href: pageAddress("document", id) }, T.adjudicate.openDocument),
      ),
    );
  }

  function acceptRepair() {
    return inTurn(async () => {
      const { doc } = desk.store.state;
      if (doc.verdict !== "inconsistent" || doc.read_only || !doc.repair_ids?.length) return;
      await post(`${desk.path}/edit`, { remove: doc.repair_ids, revision: doc.revision });
      await read();
      say(T.adjudicate.mendedAgain, "consistent");
    });
  }

  function showPair() {
    const { current } = store.state;
    if (current) desk.store.set({ selection: { ...NOTHING, first: current.source, second: current.target } });
  }

  function showAgreed() {
    const { doc } = desk.store.state;
    if (!doc) return;
    const key = (/** @type {string} */ one, /** @type {string} */ other) => JSON.stringify([one, other].sort());
    const differing = new Set(store.state.differences.map((row) => key(row.source, row.target)));
    const same = doc.links.filter((link) => !differing.has(key(link.source, link.target))).slice(0, MOST_AGREED);
    const lines = agreed.open
      ? el(
          "ul",
          { class: "facts" },
          same.map((link) => linkLine(doc, link)),
        )
      : "";
    agreed.replaceChildren(el("summary", {}, T.adjudicate.agreed(agreedCount, names.length)), lines);
  }

  /** Return what a side says against itself. */
  function contradictions() {
    return names.map((name, place) => {
      const links = found.contradictions[place];
      if (!links.length) return null;
      return el(
        "details",
        { class: "own-conflict" },
        el("summary", {}, T.adjudicate.ownConflict(name, links.length)),
        el(
          "ul",
          { class: "facts" },
          links.map((link) => linkLine(desk.store.state.doc, link)),
        ),
      );
    });
  }

  async function showFigures() {
    try {
      /** @type {Figures} */
      const now = await get(`${desk.path}/agreement`);
      firstFigures ??= now;
      figures.textContent = T.adjudicate.figures(names, now, firstFigures);
    } catch (error) {
      complain(error);
    }
  }

  function figuresLater() {
    clearTimeout(timer);
    timer = setTimeout(showFigures, PAUSE);
  }

  async function read() {
    const { order } = store.state;
    const [again] = await Promise.all([get(`${desk.path}/differences`, [["order", order]]), desk.read()]);
    const number = store.state.current?.number;
    store.set({ differences: again.differences, current: again.next });
    if (number !== undefined && !again.next) await look(number);
    figuresLater();
  }

  /** @param {number} number */
  async function look(number) {
    store.set({ current: await get(`${desk.path}/differences`, [["number", String(number)]]) });
  }

  /** @param {() => Promise<void>} action */
  function inTurn(action) {
    last = last.then(action).catch(complain);
    return last;
  }

  /** @param {Taken} side */
  function take(side) {
    return inTurn(async () => {
      const { current, order } = store.state;
      const { doc } = desk.store.state;
      if (!current || doc.read_only || (side ?? 0) > names.length) return;
      if (side && current.taken !== side && current.possible[side - 1] === false) {
        say(`${T.adjudicate.impossible} ${T.listing(current.conflict[side - 1].map((link) => link.id))}`, "bad");
        return;
      }
      let answer;
      try {
        answer = await post(`${desk.path}/take`, { number: current.number, side, order, revision: doc.revision });
      } catch (error) {
        if (error instanceof RequestError && error.status === 409) await read(); // decided or edited in another tab
        throw error;
      }
      doc.revision = answer.revision;
      doc.undo = answer.undo;
      /** @type {Map<number, Outcome>} */
      const changed = new Map(answer.changed.map((/** @type {Outcome} */ each) => [each.number, each]));
      const differences = store.state.differences.map((row) => ({ ...row, ...changed.get(row.number) }));
      const words = side === null ? T.adjudicate.taken.null : side ? names[side - 1] : T.adjudicate.taken[0];
      const opened = answer.changed.filter((/** @type {Outcome} */ each) => each.taken === null).length;
      const settled = answer.changed.length - opened - (side === null ? 0 : 1);
      say(T.adjudicate.answer(pairText(doc, current), words, settled), "consistent");
      if (side === null || !answer.next) {
        store.set({ differences });
        await look(current.number);
      } else {
        store.set({ differences, current: answer.next });
      }
      figuresLater();
    });
  }

  /** @param {number} number */
  function goTo(number) {
    if (number !== store.state.current?.number) inTurn(() => look(number));
  }

  /** @param {number} step */
  function move(step) {
    const { rows } = list;
    const here = rows.findIndex((row) => row.number === store.state.current?.number);
    const next = rows[Math.max(0, Math.min(rows.length - 1, here + step))];
    if (next) goTo(next.number);
  }

  function nextOpen() {
    return inTurn(async () => {
      const { order } = store.state;
      const again = await get(`${desk.path}/differences`, [["order", order]]);
      if (again.next) await look(again.next.number);
    });
  }

  function fold() {
    store.set({ folded: !store.state.folded });
  }

  function reorder() {
    store.set({ order: store.state.order === "text" ? "informative" : "text" });
    say(T.adjudicate.order[store.state.order]);
    return nextOpen();
  }

  /** @param {"undo" | "redo"} verb */
  function step(verb) {
    return inTurn(async () => {
      const { doc } = desk.store.state;
      if (!doc[verb] || doc.read_only) {
        say(verb === "undo" ? T.document.nothingToUndo : T.document.nothingToRedo);
        return;
      }
      await post(`${desk.path}/${verb}`, { revision: doc.revision });
      await read();
      say(T.adjudicate.did[verb]);
    });
  }

  function save() {
    return inTurn(async () => {
      if (desk.store.state.doc.verdict === "inconsistent") return;
      const { path } = await post(`${desk.path}/save`);
      const open = store.state.differences.filter((row) => row.taken === null).length;
      const back = { label: T.adjudicate.nextDocument, action: leave };
      notify(T.adjudicate.saved(path), {
        kind: "good",
        details: open ? [T.adjudicate.savedPart(open)] : [],
        actions: [back],
      });
      await read();
    });
  }

  function leave() {
    location.href = pageAddress("./");
  }

  const text = textView(desk.store);
  const whole = el("a", { href: pageAddress("document", id) }, T.adjudicate.openDocument);
  const log = el("a", { href: logAddress(id), download: "" }, T.adjudicate.log);
  const help = button(T.actions.help, () => showHelp(), { class: "quiet", id: "help" });
  frame({
    title: id,
    way: T.document.way,
    head: el(
      "div",
      { class: "toolbar" },
      verdict,
      bar,
      progress,
      el("span", { class: "buttons" }, log, whole, saving, help),
    ),
    main: el(
      "main",
      {},
      el(
        "section",
        { class: "pane list-pane", "aria-label": T.adjudicate.list },
        figures,
        contradictions(),
        el("div", { class: "actions" }, ordering, folding),
        list.element,
        agreed,
      ),
      el(
        "div",
        { class: "right", tabindex: 0, role: "group", "aria-label": T.adjudicate.question },
        done,
        detail,
        el("p", { class: "soft hint" }, T.adjudicate.hint(names.length)),
        text.element,
      ),
    ),
  });
  const sideKeys = names.slice(0, KEYS).map((name, place) => ({
    keys: [String(place + 1)],
    words: T.keys.side(name),
    action: () => take(place + 1),
  }));
  const showHelp = bindKeys([
    ...sideKeys,
    { keys: ["0"], words: T.keys.neither, action: () => take(0) },
    { keys: ["r"], words: T.keys.reopen, action: () => take(null) },
    { keys: ["a"], words: T.keys.accept, action: acceptRepair },
    { keys: ["u", "Ctrl+z"], words: T.keys.undo, action: () => step("undo") },
    { keys: ["Ctrl+y", "Ctrl+Z"], words: T.keys.redo, action: () => step("redo") },
    { keys: ["j", "ArrowDown"], words: T.keys.next, action: () => move(1) },
    { keys: ["k", "ArrowUp"], words: T.keys.previous, action: () => move(-1) },
    { keys: ["n"], words: T.keys.nextOpen, action: nextOpen },
    { keys: ["o"], words: T.keys.order, action: reorder },
    { keys: ["h"], words: T.keys.fold, action: fold },
    { keys: ["Ctrl+s"], words: T.keys.save, typing: true, action: save },
    ...neighbourKeys("adjudicate", id),
    { keys: ["b"], words: T.keys.back, action: leave },
  ]);
  store.watch(["differences", "current", "folded", "order"], show);
  store.watch(["current"], showPair);
  showAgreed();
  desk.store.watch(["doc"], show);
  watchConnection({
    follow: (address) => {
      location.href = address;
    },
    onback: () => inTurn(read),
  });
  if (store.state.current) list.setActive(String(store.state.current.number));
  else if (found.differences.length) inTurn(() => look(found.differences[0].number));
  showFigures();
}

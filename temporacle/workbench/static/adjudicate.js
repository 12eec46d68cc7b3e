// The adjudication page: two annotators side by side, one difference at a time.

import { get, pageAddress, post, RequestError } from "./api.js";
import { openDesk } from "./desk.js";
import { differenceView, linkLine, pairText } from "./difference-view.js";
import { button, data, el, verdictMark } from "./dom.js";
import { complain, frame, notify, say, watchConnection } from "./frame.js";
import { bindKeys } from "./keys.js";
import { NOTHING } from "./selection.js";
import { createStore } from "./store.js";
import { textView } from "./text-view.js";
import { T } from "./texts.js";
import { virtualList } from "./virtual-list.js";

/**
 * @import { Desk } from "./desk.js"
 * @import { Difference, Taken } from "./difference-view.js"
 * @import { Link } from "./outline.js"
 *
 * @typedef {object} State
 * @property {Difference[]} differences as the server has them; null until they are read
 * @property {string[]} names of the two sides
 * @property {number} agreed
 * @property {number | null} current number of the difference that is shown
 */

const MOST_AGREED = 1000; // links listed under the agreements

const id = new URLSearchParams(location.search).get("id");

if (id === null) frame({ title: T.errors.missing, head: null, main: el("main"), way: T.document.way });
else start(openDesk(id), id);

/**
 * @param {Desk} desk
 * @param {string} id
 */
function start(desk, id) {
  /** @type {State} */
  const initial = {
    differences: /** @type {any} */ (null),
    names: [T.adjudicate.first, T.adjudicate.second],
    agreed: 0,
    current: null,
  };
  const store = createStore(initial);
  const titles = [el("bdi"), el("bdi")];
  const list = virtualList({
    label: T.adjudicate.list,
    css: "differences",
    key: (/** @type {Difference} */ row) => String(row.number),
    onactive: (row) => store.set({ current: row.number }),
    state: (row) => ({ css: row.taken === null ? "open" : "decided", selected: row.number === store.state.current }),
    columns: [
      { title: T.adjudicate.columns.number, css: "number", cell: (row) => String(place(row.number) + 1) },
      { title: T.adjudicate.columns.pair, css: "wide", cell: (row) => data(pairText(desk.store.state.doc, row)) },
      { title: titles[0], cell: (row) => labels(row.first) },
      { title: titles[1], cell: (row) => labels(row.second) },
      { title: T.adjudicate.columns.taken, css: "taken", cell: takenMark },
    ],
  });
  const detail = el("section", {
    class: "pane difference",
    "aria-live": "polite",
    "aria-label": T.adjudicate.columns.pair,
  });
  const done = el("div", { class: "done", role: "status" });
  const agreed = el("details", { class: "agreed", ontoggle: showAgreed });
  const bar = el("progress", { id: "progress", "aria-labelledby": "progress-words" });
  const progress = el("span", { id: "progress-words", role: "status" });
  const verdict = el("span", { id: "verdict" });
  const saving = button(T.adjudicate.save, save, { id: "save", class: "main" });
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();

  /** @param {number | null} number */
  function place(number) {
    return store.state.differences.findIndex((each) => each.number === number);
  }

  /** @param {Link[]} links */
  function labels(links) {
    if (!links.length) return el("span", { class: "soft" }, T.adjudicate.nothing);
    return el("b", {}, links.map((link) => link.label).join(", "));
  }

  /** @param {Taken} taken */
  function takenWords(taken) {
    const [first, second] = store.state.names;
    return { ...T.adjudicate.taken, first, second }[taken ?? "null"];
  }

  /** @param {Difference} row */
  function takenMark(row) {
    const words = takenWords(row.taken);
    return el("span", { class: `taken-${row.taken}` }, words);
  }

  function show() {
    const { differences, names, current } = store.state;
    const { doc } = desk.store.state;
    if (!differences || !doc) return;
    const decided = differences.filter((row) => row.taken !== null).length;
    const isDone = decided === differences.length;
    verdict.replaceChildren(verdictMark(doc.verdict, T.verdict(doc.verdict)));
    bar.max = Math.max(1, differences.length);
    bar.value = differences.length ? decided : 1;
    progress.textContent = T.adjudicate.progress(decided, differences.length);
    titles.forEach((title, number) => {
      title.textContent = names[number];
    });
    list.setRows(differences);
    const row = differences[place(current)];
    detail.hidden = !row;
    if (row) detail.replaceChildren(...differenceView({ doc, row, place: place(current), names, take }));
    done.replaceChildren(
      ...(isDone ? [doneWords(differences.length)] : []),
      ...(doc.verdict === "inconsistent" ? [mendWords()] : []),
    );
    saving.classList.toggle("ready", isDone);
    saving.disabled = doc.read_only || doc.verdict === "inconsistent";
  }

  /** @param {number} all */
  function doneWords(all) {
    return el("p", {}, all ? T.adjudicate.done(all) : T.adjudicate.same);
  }

  function mendWords() {
    return el(
      "p",
      { class: "bad" },
      T.adjudicate.inconsistent,
      " ",
      el("a", { href: pageAddress("document", id) }, T.adjudicate.openDocument),
    );
  }

  function showPair() {
    const { differences, current } = store.state;
    const row = differences?.[place(current)];
    if (row) desk.store.set({ selection: { ...NOTHING, first: row.source, second: row.target } });
  }

  function showAgreed() {
    const { doc } = desk.store.state;
    if (!doc || !store.state.differences) return;
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
    agreed.replaceChildren(el("summary", {}, T.adjudicate.agreed(store.state.agreed)), lines);
  }

  async function read() {
    const [found] = await Promise.all([get(`${desk.path}/differences`), desk.read()]);
    const open = found.differences.find((/** @type {Difference} */ row) => row.taken === null) ?? found.differences[0];
    const { names, current } = store.state;
    store.set({
      differences: found.differences,
      agreed: found.agreed,
      names: found.names ?? names,
      current: current ?? open?.number ?? null,
    });
    if (store.state.current !== null) list.setActive(String(store.state.current));
  }

  /** @param {() => Promise<void>} action */
  function inTurn(action) {
    last = last.then(action).catch(complain);
    return last;
  }

  /** @param {Taken} side */
  function take(side) {
    return inTurn(async () => {
      const { differences, current } = store.state;
      const row = differences?.[place(current)];
      if (!row || desk.store.state.doc.read_only) return;
      if (side !== null && row.taken !== side && row.possible[side] === false) {
        say(`${T.adjudicate.impossible} ${T.listing(row.conflict[side].map((link) => link.id))}`, "bad");
        return;
      }
      const { revision } = desk.store.state.doc;
      let answer;
      try {
        answer = await post(`${desk.path}/take`, { number: row.number, side, revision });
      } catch (error) {
        if (error instanceof RequestError && error.status === 409) await read(); // decided or edited in another tab
        throw error;
      }
      const words = T.adjudicate.answer(pairText(desk.store.state.doc, row), takenWords(side), answer.verdict);
      say(words, answer.verdict);
      if (side !== null) store.set({ current: nextOpen(row.number) ?? current });
      await read();
    });
  }

  /**
   * Return the number of the next difference that is open, after this one or from the start.
   * @param {number | null} number
   */
  function nextOpen(number) {
    const { differences } = store.state;
    const here = place(number);
    return (
      [...differences.slice(here + 1), ...differences.slice(0, here)].find((row) => row.taken === null)?.number ?? null
    );
  }

  /** @param {number | null | undefined} number */
  function goTo(number) {
    if (number === undefined || number === null) return;
    store.set({ current: number });
    list.setActive(String(number));
  }

  /** @param {number} step */
  function move(step) {
    const { differences, current } = store.state;
    if (differences?.length)
      goTo(differences[Math.max(0, Math.min(differences.length - 1, place(current) + step))].number);
  }

  function save() {
    return inTurn(async () => {
      if (desk.store.state.doc.verdict === "inconsistent") return;
      const { path } = await post(`${desk.path}/save`);
      const open = store.state.differences.filter((row) => row.taken === null).length;
      const back = {
        label: T.adjudicate.nextDocument,
        action: () => {
          location.href = pageAddress("./");
        },
      };
      notify(T.adjudicate.saved(path), {
        kind: "good",
        details: open ? [T.adjudicate.savedPart(open)] : [],
        actions: [back],
      });
      await read();
    });
  }

  const text = textView(desk.store);
  const whole = el("a", { href: pageAddress("document", id) }, T.adjudicate.openDocument);
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
      el("span", { class: "buttons" }, whole, saving, help),
    ),
    main: el(
      "main",
      {},
      el("section", { class: "pane list-pane", "aria-label": T.adjudicate.list }, list.element, agreed),
      el("div", { class: "right" }, detail, done, el("p", { class: "soft hint" }, T.adjudicate.hint), text.element),
    ),
  });
  const showHelp = bindKeys([
    { keys: ["1"], words: T.keys.first, action: () => take("first") },
    { keys: ["2"], words: T.keys.second, action: () => take("second") },
    { keys: ["0"], words: T.keys.neither, action: () => take("neither") },
    { keys: ["r"], words: T.keys.reopen, action: () => take(null) },
    { keys: ["j", "ArrowDown"], words: T.keys.next, action: () => move(1) },
    { keys: ["k", "ArrowUp"], words: T.keys.previous, action: () => move(-1) },
    { keys: ["n"], words: T.keys.nextOpen, action: () => goTo(nextOpen(store.state.current)) },
    { keys: ["Ctrl+s"], words: T.keys.save, typing: true, action: save },
    {
      keys: ["b"],
      words: T.keys.back,
      action: () => {
        location.href = pageAddress("./");
      },
    },
  ]);
  store.watch(["differences", "current"], show);
  store.watch(["differences", "current"], showPair);
  store.watch(["differences"], showAgreed);
  desk.store.watch(["doc"], show);
  watchConnection({
    follow: (address) => {
      location.href = address;
    },
    onback: () => inTurn(read),
  });
  say(T.adjudicate.loading);
  inTurn(async () => {
    await read();
    say("");
  });
}

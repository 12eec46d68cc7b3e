// The adjudication page: two annotators side by side, one difference at a time.

import { get, pageAddress, post } from "./api.js";
import { openDesk } from "./desk.js";
import { button, data, el, verdictMark } from "./dom.js";
import { complain, frame, notify, say, watchConnection } from "./frame.js";
import { bindKeys } from "./keys.js";
import { nameOf } from "./outline.js";
import { createStore } from "./store.js";
import { T } from "./texts.js";
import { threeWay } from "./three-way.js";
import { virtualList } from "./virtual-list.js";

const SIDES = ["first", "second"];
const KEYS = { 1: "first", 2: "second", 0: "neither", r: null };

const id = new URLSearchParams(location.search).get("id");

if (id === null) frame({ title: T.errors.missing, head: null, main: el("main"), way: T.document.way });
else start(openDesk(id));

function start(desk) {
  const store = createStore({
    differences: null,
    names: [T.adjudicate.first, T.adjudicate.second],
    agreed: 0,
    current: null,
  });
  const list = virtualList({
    label: T.adjudicate.list,
    css: "differences",
    rowHeight: 34,
    key: (row) => String(row.number),
    onactive: (row) => store.set({ current: row.number }),
    state: (row) => ({ css: row.taken === null ? "open" : "decided", selected: row.number === store.state.current }),
    columns: [
      { title: T.adjudicate.columns.number, css: "number", cell: (row) => String(place(row.number) + 1) },
      { title: T.adjudicate.columns.pair, css: "wide", cell: (row) => pairWords(row) },
      { title: T.adjudicate.columns.first, cell: (row) => labels(row.first) },
      { title: T.adjudicate.columns.second, cell: (row) => labels(row.second) },
      {
        title: T.adjudicate.columns.taken,
        css: "taken",
        cell: (row) => el("span", { class: `taken-${row.taken}` }, T.adjudicate.taken[row.taken]),
      },
    ],
  });
  const detail = el("section", {
    class: "pane difference",
    "aria-live": "polite",
    "aria-label": T.adjudicate.columns.pair,
  });
  const done = el("div", { class: "done", role: "status" });
  const agreed = el("details", { class: "agreed" });
  const bar = el("progress", { id: "progress" });
  const progress = el("span", { id: "progress-words", role: "status" });
  const verdict = el("span", { id: "verdict" });
  const saving = button(T.adjudicate.save, save, { id: "save", class: "main" });
  let last = Promise.resolve();

  function place(number) {
    return store.state.differences.findIndex((each) => each.number === number);
  }

  function pairWords(row) {
    const doc = desk.store.state.doc;
    return [data(nameOf(doc, row.source)), " – ", data(nameOf(doc, row.target))];
  }

  function pairText(row) {
    return `${nameOf(desk.store.state.doc, row.source)} – ${nameOf(desk.store.state.doc, row.target)}`;
  }

  function labels(links) {
    return links.length
      ? el("b", {}, links.map((link) => link.label).join(", "))
      : el("span", { class: "soft" }, T.adjudicate.nothing);
  }

  function linkLine(link) {
    const doc = desk.store.state.doc;
    return el(
      "li",
      {},
      el("code", {}, link.id ?? ""),
      ": ",
      data(nameOf(doc, link.source)),
      " ",
      el("b", {}, link.label ?? ""),
      " ",
      data(nameOf(doc, link.target)),
    );
  }

  function side(row, name, number) {
    const { names } = store.state;
    const other = names[1 - number];
    const links = row[name];
    const possible = row.possible?.[name] ?? true;
    const conflict = row.conflict?.[name] ?? [];
    return el(
      "section",
      { class: `side ${name}${row.taken === name ? " taken" : ""}`, "aria-label": names[number] },
      el("h3", {}, data(names[number])),
      links.length
        ? el("ul", { class: "facts big" }, links.map(linkLine))
        : el("p", { class: "soft" }, T.adjudicate.nothing),
      links.length
        ? el(
            "p",
            { class: row[`${name}_follows`] ? "good" : "soft" },
            (row[`${name}_follows`] ? T.adjudicate.follows : T.adjudicate.notFollows)(other),
          )
        : null,
      possible
        ? links.length
          ? el("p", { class: "soft" }, T.adjudicate.isPossible)
          : null
        : el(
            "div",
            { class: "bad" },
            el("p", {}, T.adjudicate.impossible),
            el("ul", { class: "facts" }, conflict.map(linkLine)),
          ),
      button(T.adjudicate.take(number + 1, names[number]), () => take(name), {
        class: "take",
        dataset: { take: name },
        "aria-pressed": row.taken === name ? "true" : "false",
        disabled: !possible && row.taken !== name,
      }),
    );
  }

  function show() {
    const { differences, names, current } = store.state;
    const { doc } = desk.store.state;
    if (!differences || !doc) return;
    const decided = differences.filter((row) => row.taken !== null).length;
    verdict.replaceChildren(verdictMark(doc.verdict, T.verdict(doc.verdict)));
    bar.max = Math.max(1, differences.length);
    bar.value = differences.length ? decided : 1;
    progress.textContent = T.adjudicate.progress(decided, differences.length);
    list.setRows(differences);
    const row = differences[place(current)];
    detail.replaceChildren(
      ...(row
        ? [
            el("h2", {}, `${place(current) + 1}. `, pairWords(row)),
            el("blockquote", {}, row.sentence ? data(row.sentence) : T.adjudicate.noSentence),
            el(
              "div",
              { class: "sides" },
              SIDES.map((name, number) => side(row, name, number)),
            ),
            el(
              "div",
              { class: "actions" },
              button(T.adjudicate.neither, () => take("neither"), {
                dataset: { take: "neither" },
                "aria-pressed": row.taken === "neither" ? "true" : "false",
              }),
              button(T.adjudicate.reopen, () => take(null), { class: "quiet", disabled: row.taken === null }),
            ),
          ]
        : []),
    );
    const isDone = decided === differences.length;
    done.replaceChildren(
      ...(isDone ? [el("p", {}, differences.length ? T.adjudicate.done(differences.length) : T.adjudicate.same)] : []),
      ...(doc.verdict === "inconsistent"
        ? [
            el(
              "p",
              { class: "bad" },
              T.adjudicate.inconsistent,
              " ",
              el("a", { href: pageAddress("document", id) }, T.adjudicate.openDocument),
            ),
          ]
        : []),
    );
    saving.classList.toggle("ready", isDone);
    saving.disabled = doc.read_only || doc.verdict === "inconsistent";
    list.element.setAttribute("aria-label", `${T.adjudicate.list}: ${names.join(", ")}`);
  }

  function showAgreed() {
    const { doc } = desk.store.state;
    if (!doc || !store.state.differences) return;
    const key = (one, other) => JSON.stringify([one, other].sort());
    const differing = new Set(store.state.differences.map((row) => key(row.source, row.target)));
    agreed.replaceChildren(el("summary", {}, T.adjudicate.agreed(store.state.agreed)));
    if (agreed.open)
      agreed.append(
        el(
          "ul",
          { class: "facts" },
          doc.links
            .filter((link) => !differing.has(key(link.source, link.target)))
            .slice(0, 1000)
            .map(linkLine),
        ),
      );
  }

  async function read() {
    const [found] = await Promise.all([get(`${desk.path}/differences`), desk.read()]);
    const open = found.differences.find((row) => row.taken === null) ?? found.differences[0];
    store.set({
      differences: found.differences,
      agreed: found.agreed,
      names: found.names ?? store.state.names,
      current: store.state.current ?? open?.number ?? null,
    });
    if (store.state.current !== null) list.setActive(String(store.state.current));
  }

  function inTurn(action) {
    last = last.then(action).catch(complain);
    return last;
  }

  function take(name) {
    return inTurn(async () => {
      const { differences, current } = store.state;
      const row = differences[place(current)];
      if (!row || desk.store.state.doc.read_only) return;
      if (row.taken !== name && row.possible?.[name] === false) {
        say(`${T.adjudicate.impossible} ${T.listing((row.conflict?.[name] ?? []).map((link) => link.id))}`, "bad");
        return;
      }
      const answer = await post(`${desk.path}/take`, { number: row.number, side: name });
      say(T.adjudicate.answer(pairText(row), T.adjudicate.taken[name], answer.verdict), answer.verdict);
      const next = name === null ? current : (nextOpen(row.number) ?? current);
      store.set({ current: next });
      await read();
    });
  }

  /** Return the number of the next difference that is open, after this one or from the start. */
  function nextOpen(number) {
    const { differences } = store.state;
    const here = place(number);
    return (
      [...differences.slice(here + 1), ...differences.slice(0, here)].find((row) => row.taken === null)?.number ?? null
    );
  }

  function move(step) {
    const { differences, current } = store.state;
    const next = differences?.[Math.max(0, Math.min(differences.length - 1, place(current) + step))];
    if (!next) return;
    store.set({ current: next.number });
    list.setActive(String(next.number));
  }

  function save() {
    return inTurn(async () => {
      const { doc } = desk.store.state;
      if (doc.verdict === "inconsistent") return;
      try {
        const { path } = await post(`${desk.path}/save`);
        const open = store.state.differences.filter((row) => row.taken === null).length;
        notify(T.adjudicate.saved(path), {
          kind: "good",
          details: open ? [T.adjudicate.savedPart(open)] : [],
          actions: [
            {
              label: T.adjudicate.nextDocument,
              action: () => {
                location.href = pageAddress("./");
              },
            },
          ],
        });
        await read();
      } catch (error) {
        if (error.status === 409 && error.body.changed) threeWay(desk);
        else throw error;
      }
    });
  }

  frame({
    title: id,
    way: T.document.way,
    head: el(
      "div",
      { class: "toolbar" },
      verdict,
      bar,
      progress,
      el(
        "span",
        { class: "buttons" },
        saving,
        el("a", { href: pageAddress("document", id) }, T.adjudicate.openDocument),
        button(T.actions.help, () => help(), { class: "quiet", id: "help" }),
      ),
    ),
    main: el(
      "main",
      {},
      el("section", { class: "pane list-pane" }, list.element, agreed),
      el("div", { class: "right" }, detail, done, el("p", { class: "soft hint" }, T.adjudicate.hint)),
    ),
  });
  const help = bindKeys([
    ...Object.entries({ 1: T.keys.first, 2: T.keys.second, 0: T.keys.neither, r: T.keys.reopen }).map(
      ([key, words]) => ({ keys: [key], words, action: () => take(KEYS[key]) }),
    ),
    { keys: ["j", "ArrowDown"], words: T.keys.next, action: () => move(1) },
    { keys: ["k", "ArrowUp"], words: T.keys.previous, action: () => move(-1) },
    {
      keys: ["n"],
      words: T.keys.nextOpen,
      action: () => {
        const next = nextOpen(store.state.current);
        if (next !== null) move(place(next) - place(store.state.current));
      },
    },
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
  store.watch(["differences"], showAgreed);
  desk.store.watch(["doc"], show);
  agreed.addEventListener("toggle", showAgreed);
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

// The chosen pair: what is stated, what follows and why, and which labels are possible. All of it comes from the oracle.

import { get, post } from "./api.js";
import { linkId } from "./desk.js";
import { afterPause, button, data, el } from "./dom.js";
import { complain } from "./frame.js";
import { linkIds, linkWords } from "./link-words.js";
import { nameOf } from "./outline.js";
import { NOTHING, statedLinks } from "./selection.js";
import { T } from "./texts.js";
import { valuePart } from "./value-view.js";

/**
 * @import { Desk } from "./desk.js"
 * @import { Doc, Fact, Link } from "./outline.js"
 * @import { Shown } from "./selection.js"
 *
 * @typedef {object} Pair what the server says about two entities
 * @property {string[] | null} strongest null: undecided
 * @property {Fact[]} because
 * @property {{label: string, possible: boolean | null, conflict?: Fact[]}[]} labels
 * @property {string[]} [follows] labels that already follow
 * @property {Link[]} [in_repair] stated links that the repair removes
 */

const ATOMS = 13; // relations of Allen's algebra

/** @param {Desk} desk */
export function pairView(desk) {
  const { store } = desk;
  const place = el("div", { class: "pair", onkeydown: onKey });
  const preview = el("p", { class: "preview note", "aria-live": "polite" });
  let asked = new AbortController(); // the request under way
  let previewed = new AbortController();
  /** @type {string | null} */
  let mode = null; // id of the link to change, or null to add one
  let wantsFocus = false;
  let modeFor = "";

  store.watch(["doc", "selection"], (state) => state.doc && show(state));

  /** @param {Shown} shown */
  function show({ doc, selection }) {
    const { first, second, link } = selection;
    asked.abort();
    if (first === null || second === null || first === second) {
      const words = el("p", { class: "note" }, first === null ? T.pair.none : T.pair.one(nameOf(doc, first)));
      const value = first === null ? null : valuePart(desk, doc, first);
      place.replaceChildren(...[words, value].filter((part) => part !== null));
      return;
    }
    const key = JSON.stringify([first, second, link]);
    if (key !== modeFor) mode = link; // another pair: change the chosen link, or add one
    modeFor = key;
    if (mode !== null && !doc.index.links.has(mode)) mode = null;
    ask(doc, first, second);
  }

  /**
   * @param {Doc} doc
   * @param {string} first
   * @param {string} second
   */
  async function ask(doc, first, second) {
    asked = new AbortController();
    const { signal } = asked;
    const slow = setTimeout(
      () => place.replaceChildren(title(doc, first, second), el("p", { class: "note" }, T.pair.loading)),
      150,
    );
    const query = [
      ["source", first],
      ["target", second],
    ];
    try {
      const answer = await get(`${desk.path}/pair`, mode === null ? query : [...query, ["without", mode]], { signal });
      if (!signal.aborted) draw(doc, first, second, answer);
    } catch (error) {
      complain(error);
    } finally {
      clearTimeout(slow);
    }
  }

  /**
   * @param {Doc} doc
   * @param {string} first
   * @param {string} second
   */
  function title(doc, first, second) {
    const stated = statedLinks(doc, first, second);
    return el(
      "p",
      { class: "pair-title" },
      el("span", { class: "number-tag" }, "1"),
      data(nameOf(doc, first)),
      " → ",
      el("span", { class: "number-tag" }, "2"),
      data(nameOf(doc, second)),
      stated.length
        ? null
        : button(T.pair.swap, () => store.set({ selection: { ...NOTHING, first: second, second: first } }), {
            class: "small",
            "aria-label": T.pair.swapLabel,
          }),
    );
  }

  /**
   * @param {Doc} doc
   * @param {string} first
   * @param {string} second
   * @param {Pair} answer
   */
  function draw(doc, first, second, answer) {
    const stated = statedLinks(doc, first, second);
    preview.textContent = "";
    const focused = document.activeElement;
    const hadFocus = focused && place.contains(focused) ? (focused.getAttribute("data-label") ?? "") : null;
    place.replaceChildren(
      title(doc, first, second),
      ...statedPart(doc, stated),
      ...followsPart(answer, mode),
      ...modePart(doc, stated, first, second),
      labelsPart(doc, first, second, answer),
      preview,
    );
    if (wantsFocus || hadFocus !== null)
      (labelButtons().find((each) => each.dataset.label === hadFocus) ?? firstLabel())?.focus();
    wantsFocus = false;
  }

  /**
   * @param {Doc} doc
   * @param {Link[]} stated
   */
  function statedPart(doc, stated) {
    const items = stated.map((link) => {
      const comment = commentForm(link);
      const say = button(T.actions.comment, () => open(comment), {
        class: "small",
        "aria-label": T.pair.comment(link.id),
        hidden: Boolean(link.comment),
      });
      const remove = button(T.actions.remove, () => desk.remove([link.id]), {
        class: "small",
        "aria-label": T.pair.remove(link.id),
        dataset: { remove: link.id },
      });
      return el(
        "li",
        {},
        linkWords(store, link),
        doc.read_only
          ? el("p", { class: "note" }, link.comment ?? "")
          : [el("span", { class: "buttons" }, remove, say), comment],
      );
    });
    return [
      el("h3", {}, T.pair.stated),
      stated.length ? el("ul", { class: "facts stated" }, items) : el("p", { class: "note" }, T.pair.notStated),
    ];
  }

  /** @param {Link} link */
  function commentForm(link) {
    const before = link.comment ?? "";
    const { draft } = store.state;
    const text = draft?.link === link.id ? draft.text : before;
    const field = el("input", {
      type: "text",
      "aria-label": T.pair.comment(link.id),
      placeholder: T.pair.comment(link.id),
      value: text,
      dataset: { comment: link.id },
    });
    const keep = el("button", { class: "small", hidden: text === before }, T.pair.keepComment);
    field.addEventListener("input", () => {
      keep.hidden = field.value === before;
      store.set({ draft: keep.hidden ? null : { link: link.id, text: field.value } });
    });
    const onsubmit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      store.set({ draft: null });
      firstLabel()?.focus();
      if (field.value !== before) desk.comment(link.id, field.value);
    };
    return el("form", { class: "comment", onsubmit, hidden: !text }, field, keep);
  }

  /** @param {HTMLElement} comment */
  function open(comment) {
    comment.hidden = false;
    comment.querySelector("input")?.focus();
  }

  /**
   * @param {Pair} answer
   * @param {string | null} without
   */
  function followsPart(answer, without) {
    const heading = el("h3", {}, without === null ? T.pair.follows : T.pair.followsOthers(without));
    const { strongest, because } = answer;
    if (strongest === null) return [heading, el("p", {}, T.pair.undecided)];
    const repaired = store.state.doc.verdict === "inconsistent" ? el("p", { class: "note" }, T.pair.repaired) : null;
    const own = answer.in_repair?.length
      ? el("p", { class: "bad" }, T.pair.inRepair(answer.in_repair.map((link) => link.id)))
      : null;
    const first = [heading, repaired, own].filter((part) => part !== null);
    if (strongest.length === ATOMS) return [...first, el("p", {}, T.pair.nothing)];
    return [
      ...first,
      el("p", { class: "strongest" }, inWords(strongest)),
      el(
        "p",
        { class: "note because" },
        T.pair.from,
        " ",
        because.length ? linkIds(store, because) : T.pair.fromNothing,
      ),
    ];
  }

  /**
   * @param {Doc} doc
   * @param {Link[]} stated
   * @param {string} first
   * @param {string} second
   */
  function modePart(doc, stated, first, second) {
    if (doc.read_only || !stated.length) return [];
    const choices = [...stated.map((link) => link.id), null];
    const pick = (/** @type {string | null} */ id) => {
      mode = id;
      const link = doc.index.links.get(id);
      if (link)
        store.set({ selection: { ...store.state.selection, first: link.source, second: link.target, link: id } });
      modeFor = JSON.stringify([store.state.selection.first, store.state.selection.second, store.state.selection.link]);
      ask(doc, link?.source ?? first, link?.target ?? second);
    };
    return [
      el(
        "div",
        { class: "modes", role: "group", "aria-label": T.pair.mode },
        choices.map((id) =>
          button(id === null ? T.pair.add : T.pair.change(id), () => pick(id), {
            class: "small",
            "aria-pressed": id === mode ? "true" : "false",
          }),
        ),
      ),
    ];
  }

  /**
   * @param {Doc} doc
   * @param {string} first
   * @param {string} second
   * @param {Pair} answer
   */
  function labelsPart(doc, first, second, answer) {
    const present = doc.index.links.get(mode)?.label;
    const sorted = [true, null, false].flatMap((possible) =>
      answer.labels.filter((each) => each.possible === possible),
    );
    const rows = sorted.map(({ label, possible, conflict }) => {
      const kind = possible === true ? "possible" : possible === false ? "impossible" : "unknown";
      const known = answer.follows?.includes(label) ? T.pair.following : T.pair[kind];
      const facts = [label === present ? T.pair.present : null, known].filter(Boolean).join(", ");
      const apply = () =>
        mode === null ? desk.add(first, label, second) : label === present ? null : desk.relabel(mode, label);
      const name = doc.read_only
        ? el("b", {}, label)
        : button(label, apply, {
            class: "apply",
            tabindex: -1,
            dataset: { label },
            "aria-label": `${label}: ${facts}`,
            "aria-current": label === present ? "true" : null,
            onfocus: () => look(label, possible),
            onmouseenter: () => look(label, possible),
          });
      return el(
        "li",
        { class: `${kind}${label === present ? " present" : ""}` },
        name,
        el(
          "span",
          {},
          el("span", { class: "fact" }, facts),
          conflict?.length
            ? el("span", { class: "reasons" }, " ", T.pair.wouldConflict, " ", linkIds(store, conflict))
            : null,
        ),
      );
    });
    const list = el(
      "ul",
      { class: "labels", "aria-label": T.pair.labels(mode === null ? T.pair.add : T.pair.change(mode)) },
      rows,
    );
    /** @type {HTMLElement | null} */
    const tabbed =
      list.querySelector(".present .apply") ?? list.querySelector(".possible .apply") ?? list.querySelector(".apply");
    if (tabbed) tabbed.tabIndex = 0;
    return list;
  }

  const look = afterPause(200, async (/** @type {string} */ label, /** @type {boolean | null} */ possible) => {
    previewed.abort();
    previewed = new AbortController();
    preview.textContent = "";
    const { doc, selection } = store.state;
    if (possible !== true || label === doc.index.links.get(mode)?.label) return;
    const change =
      mode === null
        ? { add: [{ source: selection.first, label, target: selection.second }] }
        : { relabel: { [mode]: label } };
    try {
      const { verdict, redundant } = await post(`${desk.path}/judge`, change, { signal: previewed.signal });
      preview.textContent = T.pair.preview(verdict, redundant.map(linkId));
    } catch (error) {
      complain(error);
    }
  });

  function labelButtons() {
    return /** @type {HTMLButtonElement[]} */ ([...place.querySelectorAll("button.apply")]);
  }

  function firstLabel() {
    return /** @type {HTMLButtonElement | null} */ (place.querySelector("button.apply[tabindex='0']"));
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const all = labelButtons();
    const here = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    if (!step || here < 0) return;
    event.preventDefault();
    const next = all[Math.max(0, Math.min(all.length - 1, here + step))];
    for (const each of all) each.tabIndex = each === next ? 0 : -1;
    next.focus();
  }

  return {
    element: el(
      "section",
      { class: "pane pair-pane", "aria-label": T.pair.heading },
      el("h2", {}, T.pair.heading),
      place,
    ),
    /** Go to the labels, now or as soon as they are there. */
    focus: () => {
      const label = firstLabel();
      if (label) label.focus();
      else wantsFocus = true;
    },
    /** @param {string} link */
    comment: (link) => {
      const form = place.querySelector(`[data-comment="${CSS.escape(link)}"]`)?.closest("form");
      if (form) open(form);
    },
  };
}

/** @param {string[]} atoms */
function inWords(atoms) {
  if (atoms.length <= 7) return atoms.map((atom) => T.pair.atom(atom)).join(T.pair.or);
  const all = ["b", "m", "o", "fi", "di", "s", "=", "si", "d", "f", "oi", "mi", "bi"];
  return T.pair.except(
    all
      .filter((atom) => !atoms.includes(atom))
      .map(T.pair.atom)
      .join(", "),
  );
}

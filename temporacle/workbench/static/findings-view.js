// The findings: the answer to the last edit, conflicts in words, a proposed repair, warnings.

import { button, data, el, reveal, verdictMark } from "./dom.js";
import { linkIds, linkWords } from "./link-words.js";
import { chooseConflict } from "./selection.js";
import { T } from "./texts.js";

/**
 * @import { Desk, State } from "./desk.js"
 * @import { Conflict, Doc } from "./outline.js"
 */

/** @param {Desk} desk */
export function findingsView(desk) {
  const { store } = desk;
  const place = el("div", { class: "findings" });
  /** @type {HTMLElement[]} */
  let sections = [];

  store.watch(["doc", "repair", "answer"], (state) => {
    if (!state.doc) return;
    const { doc } = state;
    sections = doc.conflicts.map((conflict, number) => conflictSection(doc, conflict, number));
    const parts = [verdictLine(doc), answerSection(state), ...sections, repairSection(state), warnings(doc)];
    place.replaceChildren(...parts.filter((part) => part !== null));
    mark();
  });
  store.watch(["selection"], () => store.state.doc && mark(true));

  /** @param {Doc} doc */
  function verdictLine(doc) {
    const { consistent, undecided, unreadable, unchecked } = T.findings;
    /** @type {Record<string, string>} */
    const others = { consistent, undecided, unreadable, unchecked };
    const words = doc.verdict === "inconsistent" ? T.findings.conflicts(doc.conflicts.length) : others[doc.verdict];
    return el(
      "p",
      {},
      verdictMark(doc.verdict, T.verdict(doc.verdict)),
      " ",
      words ?? "",
      doc.unfinished ? el("span", { class: "doubt" }, ` ${doc.unfinished}`) : null,
      doc.needs ? el("span", { class: "needs" }, ` ${doc.needs}`) : null,
    );
  }

  /** @param {State} state */
  function answerSection({ doc, answer }) {
    if (!answer) return null;
    const known = answer.redundant.flatMap((id) => doc.index.links.get(id) ?? []);
    return el(
      "section",
      { class: "answer" },
      el("h3", {}, T.findings.answer),
      el("p", {}, T.edits.answer(answer.did, answer.verdict, answer.fresh.length, [], answer.resolved)),
      answer.fresh.map((conflict) => el("p", { class: "bad" }, T.findings.newConflicts, " ", linkIds(store, conflict))),
      known.length
        ? el(
            "div",
            {},
            el("p", {}, T.findings.redundant),
            el(
              "ul",
              { class: "facts" },
              known.map((link) => el("li", {}, linkWords(store, link))),
            ),
          )
        : null,
    );
  }

  /**
   * @param {Doc} doc
   * @param {Conflict} conflict
   * @param {number} number
   */
  function conflictSection(doc, conflict, number) {
    const title = button(T.findings.conflict(number + 1, doc.conflicts.length), () => chooseConflict(store, number), {
      class: "conflict-title",
      dataset: { conflict: number },
    });
    return el(
      "section",
      { class: "conflict" },
      el("h3", {}, title),
      el("p", { class: "note" }, (doc.words?.[number] ?? "").split("\n")[0]),
      el(
        "ul",
        { class: "facts" },
        conflict.map((link) => el("li", {}, linkWords(store, link))),
      ),
      explanation(doc.words?.[number] ?? "", conflict.length, number < 3),
    );
  }

  /**
   * The sentences and the steps of the contradiction. The words have indented lines under "Text:" and "Why:".
   * @param {string} words
   * @param {number} facts how many contradict each other
   * @param {boolean} open
   */
  function explanation(words, facts, open) {
    /** @type {Map<string, string[]>} */
    const parts = new Map();
    let heading = "";
    for (const line of words.split("\n")) {
      if (line.startsWith("  ")) parts.get(heading)?.push(line.trim());
      else parts.set((heading = line), []);
    }
    const why = parts.get("Why:");
    if (!why) return words ? el("div", { class: "words" }, words) : null;
    return [
      (parts.get("Text:") ?? []).map((sentence) => el("blockquote", {}, data(sentence))),
      el(
        "details",
        { open },
        el("summary", {}, T.findings.why(facts)),
        el(
          why[0]?.startsWith("1.") ? "ul" : "ol",
          { class: "words" },
          why.map((step) => el("li", {}, data(step))),
        ),
      ),
    ];
  }

  /** @param {State} state */
  function repairSection({ doc, repair }) {
    if (doc.verdict !== "inconsistent") return null;
    if (repair === null)
      return el(
        "p",
        {},
        button(T.findings.proposal, () => desk.repair(), { class: "propose" }),
      );
    if (!repair.length) return el("p", {}, T.findings.repairNone);
    return el(
      "section",
      { class: "repair" },
      el("h3", {}, T.findings.repair),
      el("p", { class: "note" }, T.findings.repairHint),
      el(
        "ul",
        { class: "facts" },
        repair.map((link) =>
          el(
            "li",
            {},
            linkWords(store, link),
            " ",
            doc.alternatives?.[link.id] ? `(${T.findings.instead(doc.alternatives[link.id] ?? [])}) ` : null,
            doc.read_only || repair.length === 1
              ? null
              : button(T.actions.remove, () => desk.removeOfRepair(link.id), {
                  class: "small",
                  "aria-label": T.pair.remove(link.id),
                }),
          ),
        ),
      ),
      doc.read_only
        ? null
        : button(T.findings.repairAll(repair.length), () => desk.remove(repair.map((link) => link.id)), {
            class: "accept",
          }),
    );
  }

  /** @param {Doc} doc */
  function warnings(doc) {
    if (!doc.warnings?.length) return null;
    return el(
      "details",
      {},
      el("summary", {}, T.document.warnings(doc.warnings.length)),
      el(
        "ul",
        { class: "facts" },
        doc.warnings.map((each) =>
          el("li", {}, each.message, each.line ? el("span", { class: "soft" }, T.findings.line(each.line)) : null),
        ),
      ),
    );
  }

  function mark(scroll = false) {
    const { conflict, link } = store.state.selection;
    sections.forEach((section, number) => section.classList.toggle("chosen", number === conflict));
    for (const each of place.querySelectorAll("[data-link]"))
      each.classList.toggle("chosen", each.getAttribute("data-link") === link);
    if (!scroll || conflict === null || place.contains(document.activeElement)) return;
    if (conflict) reveal(sections[conflict], element);
    else element.scrollTop = 0; // above the first conflict stands the verdict
  }

  const element = el(
    "section",
    { class: "pane findings-pane", "aria-label": T.findings.heading },
    el("h2", {}, T.findings.heading),
    place,
  );
  return {
    element,
    focus: () => {
      /** @type {HTMLElement | null} */
      const chosen = place.querySelector("section.chosen button");
      (chosen ?? place.querySelector("button"))?.focus();
    },
  };
}

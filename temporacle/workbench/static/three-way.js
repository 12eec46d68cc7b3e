// When the file changed on disk: the links as opened, ours, and those in the file now.

import { get } from "./api.js";
import { button, data, el } from "./dom.js";
import { complain, say } from "./frame.js";
import { nameOf } from "./outline.js";
import { T } from "./texts.js";

/**
 * @import { Desk } from "./desk.js"
 * @import { Link } from "./outline.js"
 *
 * @typedef {"mine" | "theirs"} Side
 * @typedef {{source: string, target: string, base: Link[], mine: Link[], theirs: Link[], clash: boolean}} Difference
 */

/**
 * @param {Desk} desk
 * @returns {Promise<void>}
 */
export async function threeWay(desk) {
  /** @type {{differences: Difference[]}} */
  let found;
  try {
    found = await get(`${desk.path}/three-way`);
  } catch (error) {
    complain(error);
    return;
  }
  const { doc } = desk.store.state;
  /** @type {Record<number, Side>} */
  const taken = {}; // number of the difference -> side
  found.differences.forEach((difference, number) => {
    if (!difference.clash) taken[number] = sameLinks(difference.base, difference.mine) ? "theirs" : "mine";
  });
  const open = el("p", { class: "open", role: "status" });
  const merge = button(T.threeWay.merge, () => finish(false));
  const mergeSave = button(T.threeWay.mergeSave, () => finish(true), { class: "main" });
  /** @type {HTMLDialogElement} */
  const dialog = el(
    "dialog",
    { class: "three-way", "aria-label": T.threeWay.title },
    el("h2", {}, T.threeWay.title),
    el("p", {}, T.threeWay.intro),
    found.differences.length ? table() : el("p", {}, T.threeWay.none),
    open,
    el(
      "div",
      { class: "actions" },
      mergeSave,
      merge,
      button(T.actions.cancel, () => dialog.close(), { class: "quiet" }),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  count();
  dialog.showModal();

  function table() {
    const columns = Object.values(T.threeWay.columns).map((title) => el("th", { scope: "col" }, title));
    return el(
      "div",
      { class: "scroll", tabindex: 0 },
      el(
        "table",
        { "aria-label": T.threeWay.label },
        el("thead", {}, el("tr", {}, columns)),
        el("tbody", {}, found.differences.map(row)),
      ),
    );
  }

  /**
   * @param {Difference} difference
   * @param {number} number
   */
  function row(difference, number) {
    const side = (/** @type {Side} */ name) =>
      el(
        "td",
        {},
        el(
          "label",
          {},
          el("input", {
            type: "radio",
            name: `take-${number}`,
            value: name,
            checked: taken[number] === name,
            onchange: () => {
              taken[number] = name;
              count();
            },
          }),
          ` ${T.threeWay.take[name]}`,
        ),
        stated(difference[name]),
      );
    return el(
      "tr",
      { class: difference.clash ? "clash" : "" },
      el(
        "th",
        { scope: "row" },
        data(nameOf(doc, difference.source)),
        " – ",
        data(nameOf(doc, difference.target)),
        difference.clash ? el("span", { class: "bad" }, T.threeWay.clash) : null,
      ),
      el("td", {}, stated(difference.base)),
      side("mine"),
      side("theirs"),
    );
  }

  /** @param {Link[]} links */
  function stated(links) {
    if (!links.length) return el("p", { class: "soft" }, T.threeWay.nothing);
    return el(
      "ul",
      { class: "facts" },
      links.map((link) =>
        el(
          "li",
          {},
          el("code", {}, link.id ?? ""),
          " ",
          data(nameOf(doc, link.source)),
          " ",
          el("b", {}, link.label ?? ""),
          " ",
          data(nameOf(doc, link.target)),
        ),
      ),
    );
  }

  function count() {
    const missing = found.differences.length - Object.keys(taken).length;
    open.textContent = missing ? T.threeWay.open(missing) : "";
    merge.disabled = mergeSave.disabled = missing > 0;
  }

  /** @param {boolean} andSave */
  async function finish(andSave) {
    dialog.close();
    if (!(await desk.merge(taken, doc.revision))) return;
    if (andSave) await desk.save(() => threeWay(desk));
    else say(T.threeWay.merged);
  }
}

/**
 * @param {Link[]} one
 * @param {Link[]} other
 */
function sameLinks(one, other) {
  const key = (/** @type {Link[]} */ links) =>
    links
      .map((link) => `${link.source}\n${link.label}\n${link.target}`)
      .sort()
      .join("\n\n");
  return key(one) === key(other);
}

// Keys of a page, and the list of them under "?".

import { button, el } from "./dom.js";
import { T } from "./texts.js";

/**
 * @typedef {object} Binding
 * @property {string[]} keys as the browser names them, with "Ctrl+" before it (Command on a Mac counts as Ctrl)
 * @property {string | null} words for the list; null: not listed
 * @property {(event: KeyboardEvent) => unknown} action
 * @property {boolean} [typing] also while a field has the focus
 */

const TYPING = "input, textarea, select, [contenteditable]";
const PRESSED = "a[href], button, summary"; // Enter and Space belong to these while they have the focus

/**
 * Listen to the keys of a page. Return what shows the list of them.
 * @param {Binding[]} bindings
 */
export function bindKeys(bindings) {
  const help = helpDialog(bindings);
  /** @type {Binding[]} */
  const all = [...bindings, { keys: ["?"], words: T.keys.help, action: () => help.showModal() }];
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
    const name = (event.ctrlKey || event.metaKey ? "Ctrl+" : "") + event.key;
    const target = /** @type {Partial<Element>} */ (event.target);
    const found = all.find((binding) => binding.keys.includes(name));
    if (!found || (!found.typing && target.matches?.(TYPING))) return;
    if ((event.key === "Enter" || event.key === " ") && target.matches?.(PRESSED)) return;
    event.preventDefault();
    found.action(event);
  });
  return () => help.showModal();
}

/** @param {Binding[]} bindings */
function helpDialog(bindings) {
  const rows = [...bindings, ...T.keys.everywhere]
    .filter((binding) => binding.words)
    .map(({ keys, words }) =>
      el(
        "tr",
        {},
        el(
          "th",
          { scope: "row" },
          keys.map((key, place) => [
            place ? T.keys.or : null,
            el("kbd", {}, T.keys.names[key] ?? key.replace("+", " + ")),
          ]),
        ),
        el("td", {}, words),
      ),
    );
  /** @type {HTMLDialogElement} */
  const dialog = el(
    "dialog",
    { class: "help", "aria-label": T.keys.title },
    el("h2", {}, T.keys.title),
    el("table", {}, el("tbody", {}, rows)),
    el(
      "div",
      { class: "actions" },
      button(T.actions.close, () => dialog.close(), { autofocus: true }),
    ),
  );
  document.body.append(dialog);
  return dialog;
}

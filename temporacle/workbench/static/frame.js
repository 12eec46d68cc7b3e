// What all pages share: a header, the line that speaks answers, notices, and the banner of a lost server.

import { onConnection, pageAddress } from "./api.js";
import { button, el } from "./dom.js";
import { T } from "./texts.js";

/** @import { Child } from "./dom.js" */

const spoken = el("p", { id: "spoken", role: "status", "aria-live": "polite" });
const notices = el("div", { id: "notices" });
const banner = el("div", { id: "banner", role: "alert", hidden: true });

/**
 * Put the header and the main part on the page.
 * @param {{title: string, head: Child, main: HTMLElement, way?: string | null, aside?: Child}} parts
 */
export function frame({ title, head, main, way = null, aside = null }) {
  document.title = T.title(title);
  const heading = el("h1", {}, title);
  const header = el(
    "header",
    {},
    el("a", { class: "skip", href: "#main" }, T.skip),
    way ? el("a", { class: "way", href: pageAddress("./") }, way) : null,
    heading,
    head,
  );
  document.body.append(
    header,
    banner,
    notices,
    el("section", { class: "status-line", "aria-label": T.status }, spoken, aside),
    Object.assign(main, { id: "main", tabIndex: -1 }),
  );
}

/**
 * Say an answer: it is seen in the status line and read by screen readers.
 * @param {string} words
 * @param {string} [kind]
 */
export function say(words, kind = "") {
  spoken.className = kind;
  spoken.textContent = words;
}

/**
 * Show a message that stays until it is closed or one of its actions is taken.
 * @param {string} words
 * @param {{kind?: string, actions?: {label: string, action: () => unknown}[], details?: string[]}} [options]
 */
export function notify(words, { kind = "note", actions = [], details = [] } = {}) {
  /** @type {HTMLDivElement} */
  const notice = el(
    "div",
    { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status" },
    el("p", {}, words),
    details.length
      ? el(
          "ul",
          {},
          details.map((each) => el("li", {}, each)),
        )
      : null,
    el(
      "div",
      { class: "actions" },
      actions.map(({ label, action }) =>
        button(label, () => {
          notice.remove();
          action();
        }),
      ),
      button(T.actions.close, () => notice.remove(), { class: "quiet" }),
    ),
  );
  for (const other of [...notices.children]) if (other.textContent === notice.textContent) other.remove();
  notices.append(notice);
  return notice;
}

/**
 * Show a request that failed, unless the banner of a lost server says it already.
 * @param {any} error
 */
export function complain(error) {
  if (error.name === "AbortError") return;
  if (error.status === 0 || error.status === 401) return;
  notify(error.message, { kind: "bad" });
}

/**
 * Keep the banner of a lost server.
 * @param {object} actions
 * @param {() => string | null} [actions.unsent] words about an edit that the server did not confirm
 * @param {(address: string) => void} actions.follow goes on elsewhere
 * @param {() => unknown} actions.onback
 */
export function watchConnection({ unsent = () => null, follow, onback }) {
  onConnection((state) => {
    document.body.classList.toggle("offline", state !== "back");
    banner.hidden = state === "back";
    if (state === "back") {
      say(T.connection.back);
      onback();
      return;
    }
    const field = el("input", {
      type: "url",
      "aria-label": T.connection.address,
      placeholder: T.connection.placeholder,
    });
    const go = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      if (field.value) follow(field.value);
    };
    const words = unsent();
    banner.replaceChildren(
      el("p", {}, el("strong", {}, state === "gone" ? T.connection.gone : T.connection.stranger)),
      el("p", {}, T.connection.kept),
      words ? el("p", { class: "unsent" }, T.connection.unsent(words)) : "",
      el("form", { onsubmit: go }, el("label", {}, T.connection.address, field), el("button", {}, T.connection.go)),
    );
  });
}

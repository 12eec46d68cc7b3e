// A link in words, as a button that chooses it.

import { button, data, el } from "./dom.js";
import { nameOf } from "./outline.js";
import { chooseLink } from "./selection.js";
import { T } from "./texts.js";

/**
 * @import { Link } from "./outline.js"
 * @import { Selecting } from "./selection.js"
 */

/**
 * Return "l3: left BEFORE docked (line 12)"; links that the document does not have are plain text.
 * @param {Selecting} store
 * @param {Link} link
 */
export function linkWords(store, link) {
  const { doc } = store.state;
  const name = (/** @type {string} */ id, /** @type {string | null | undefined} */ text) =>
    data(text?.trim() || nameOf(doc, id), { class: "entity", title: id });
  const words = [
    el("code", {}, link.id ?? ""),
    ": ",
    name(link.source, link.source_text),
    " ",
    el("b", {}, link.label ?? (link.relation ?? []).join("|")),
    " ",
    name(link.target, link.target_text),
    link.line ? el("span", { class: "soft" }, T.findings.line(link.line)) : null,
  ];
  if (!doc.index.links.has(link.id)) return el("span", {}, words);
  return button(words, () => chooseLink(store, link.id), { class: "link", dataset: { link: link.id } });
}

/**
 * Return the ids of links as small buttons, in a row.
 * @param {Selecting} store
 * @param {Link[]} links
 */
export function linkIds(store, links) {
  const { doc } = store.state;
  return links.map((link, place) =>
    el(
      "span",
      { class: "one" },
      doc.index.links.has(link.id)
        ? button(link.id, () => chooseLink(store, link.id), {
            class: "link id",
            title: `${nameOf(doc, link.source)} ${link.label} ${nameOf(doc, link.target)}`,
            dataset: { link: link.id },
          })
        : el("code", {}, link.id ?? ""),
      place < links.length - 1 ? ", " : "",
    ),
  );
}

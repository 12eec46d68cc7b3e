// A link in words, as a button that chooses it.

import { button, data, el } from "./dom.js";
import { isValue, nameOf } from "./outline.js";
import { chooseLink, chooseValue } from "./selection.js";
import { T } from "./texts.js";

/**
 * @import { Fact } from "./outline.js"
 * @import { Selecting } from "./selection.js"
 */

/**
 * Return "l3: left BEFORE docked (line 12)", or for a value "t3: Friday = 1998-02-06 (line 12)"; links that the document
 * does not have are plain text.
 * @param {Selecting} store
 * @param {Fact} link
 */
export function linkWords(store, link) {
  const { doc } = store.state;
  const line = link.line ? el("span", { class: "soft" }, T.findings.line(link.line)) : null;
  if (isValue(link)) {
    const said = [link.mod, link.value].filter(Boolean).join(" ");
    const name = data(link.text?.trim() || nameOf(doc, link.entity), { class: "entity", title: link.entity });
    const words = [el("code", {}, link.id), ": ", name, " = ", el("b", {}, said), line];
    return button(words, () => chooseValue(store, link.entity), { class: "link", dataset: { value: link.id } });
  }
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
    line,
  ];
  if (!doc.index.links.has(link.id)) return el("span", {}, words);
  return button(words, () => chooseLink(store, link.id), { class: "link", dataset: { link: link.id } });
}

/**
 * Return the ids of links and values as small buttons, in a row.
 * @param {Selecting} store
 * @param {Fact[]} links
 */
export function linkIds(store, links) {
  const { doc } = store.state;
  return links.map((link, place) =>
    el(
      "span",
      { class: "one" },
      isValue(link)
        ? button(link.id, () => chooseValue(store, link.entity), {
            class: "link id",
            title: `${nameOf(doc, link.entity)} = ${link.value}`,
            dataset: { value: link.id },
          })
        : doc.index.links.has(link.id)
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

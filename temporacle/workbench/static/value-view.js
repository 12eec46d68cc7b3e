// The value of a chosen time: what it says about the calendar, what is certain of the time, and another value to try.

import { post } from "./api.js";
import { afterPause, button, data, el } from "./dom.js";
import { complain } from "./frame.js";
import { nameOf } from "./outline.js";
import { T } from "./texts.js";

/**
 * @import { Desk } from "./desk.js"
 * @import { Doc, Value } from "./outline.js"
 */

/**
 * Return the part of the page about the value of an entity; null if values do not count, or it is no time.
 * @param {Desk} desk
 * @param {Doc} doc
 * @param {string} id
 */
export function valuePart(desk, doc, id) {
  const entity = doc.index.entities.get(id);
  if (!doc.calendar || !(entity?.dct || entity?.kind === "time")) return null;
  const facts = (doc.values ?? []).filter((each) => each.entity === id);
  const place = doc.timeline?.[id];
  const certain = doc.verdict === "consistent" ? T.value.certain : T.value.certainRepaired;
  return el(
    "section",
    { class: "value", "aria-label": T.value.label(nameOf(doc, id)) },
    el("h3", {}, T.value.heading),
    facts.length
      ? el(
          "ul",
          { class: "facts stated" },
          facts.map((fact) => el("li", {}, said(fact), doc.read_only ? null : remove(desk, fact))),
        )
      : el("p", { class: "note" }, T.value.none),
    place?.dates ? el("p", { class: "note certain" }, certain(place.words)) : null,
    doc.read_only ? null : form(desk, doc, id, entity.value ?? ""),
  );
}

/** @param {Value} fact */
function said(fact) {
  const what = fact.attribute === "value" ? "" : `${fact.attribute} `;
  return [
    el("code", {}, fact.id),
    ": ",
    what,
    el("b", {}, data([fact.mod, fact.value].filter(Boolean).join(" "))),
    el("p", { class: "note" }, inWords(fact)),
  ];
}

/**
 * Return "starts at or after 1998-02-06, ends at or before 1998-02-07".
 * @param {Value} fact
 */
function inWords({ reads = {} }) {
  return Object.entries(reads)
    .map(([point, limits]) => {
      const parts = [];
      for (let place = 0; place < limits.length; place += 2) {
        const [sign, limit] = limits.slice(place, place + 2);
        parts.push(
          typeof limit === "number"
            ? `${T.value.lengthSigns[sign]} ${T.value.seconds(limit)}`
            : `${T.value.signs[sign]} ${limit.replace("T00:00:00", "")}`,
        );
      }
      return `${T.value.points[point]} ${parts.join(T.value.and)}`;
    })
    .join(", ");
}

/**
 * @param {Desk} desk
 * @param {Value} fact
 */
function remove(desk, fact) {
  return button(T.actions.remove, () => desk.setValue(fact.id, null), {
    class: "small",
    "aria-label": T.value.take(fact.id),
    dataset: { removeValue: fact.id },
  });
}

/**
 * @param {Desk} desk
 * @param {Doc} doc
 * @param {string} id
 * @param {string} before
 */
function form(desk, doc, id, before) {
  const preview = el("p", { class: "preview note", "aria-live": "polite" });
  const field = el("input", {
    type: "text",
    value: before,
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": T.value.label(nameOf(doc, id)),
    dataset: { setValue: id },
  });
  const set = el("button", { class: "small", disabled: true }, T.value.set);
  const wanted = () => field.value.trim();
  const judge = afterPause(250, async () => {
    const value = wanted();
    if (!value || value === before) return;
    try {
      const { verdict, conflicts } = await post(`${desk.path}/judge`, { set_value: { [id]: value } });
      if (value === wanted()) preview.textContent = T.value.preview(verdict, conflicts.length);
    } catch (error) {
      complain(error);
    }
  });
  field.addEventListener("input", () => {
    set.disabled = !wanted() || wanted() === before;
    preview.textContent = "";
    judge();
  });
  const onsubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (!set.disabled) desk.setValue(id, wanted());
  };
  return el("form", { class: "comment", onsubmit }, field, set, preview);
}

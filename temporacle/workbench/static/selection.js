// The one selection of the document page: {first, second, link, conflict}. Every view shows it, every view can change it.

import { endsOf, isValue } from "./outline.js";

/**
 * @import { Doc } from "./outline.js"
 * @import { Store } from "./store.js"
 *
 * @typedef {object} Selection
 * @property {string | null} first id of an entity
 * @property {string | null} second
 * @property {string | null} link
 * @property {number | null} conflict
 *
 * @typedef {{doc: Doc, selection: Selection}} Shown
 * @typedef {Pick<Store<Shown>, "state"> & {set(patch: {selection: Selection}): void}} Selecting
 *
 * @typedef {{number: string, isChosen: boolean, isOther: boolean, isConflicted: boolean}} Mark
 */

/** @type {Selection} */
export const NOTHING = { first: null, second: null, link: null, conflict: null };

/**
 * Choose an entity: the first one, then the second one of a pair, then a first one again.
 * @param {Selecting} store
 * @param {string} id
 */
export function chooseEntity(store, id) {
  const { first, second } = store.state.selection;
  if (first === id && second === null) clearSelection(store);
  else if (first !== null && second === null) choosePair(store, first, id);
  else store.set({ selection: { ...NOTHING, first: id } });
}

/**
 * Choose two entities, and the link between them if there is one.
 * @param {Selecting} store
 * @param {string} first
 * @param {string} second
 */
export function choosePair(store, first, second) {
  const stated = statedLinks(store.state.doc, first, second);
  const link = stated.find((each) => each.source === first) ?? stated[0];
  if (link) chooseLink(store, link.id);
  else store.set({ selection: { ...NOTHING, first, second } });
}

/**
 * @param {Selecting} store
 * @param {string} id
 */
export function chooseLink(store, id) {
  const link = store.state.doc.index.links.get(id);
  if (!link) return;
  const { conflict } = store.state.selection;
  const stays =
    conflict !== null && store.state.doc.conflicts[conflict]?.some((each) => each.id === id && !isValue(each));
  store.set({ selection: { first: link.source, second: link.target, link: id, conflict: stays ? conflict : null } });
}

/**
 * Choose a time because of its value.
 * @param {Selecting} store
 * @param {string} entity
 */
export function chooseValue(store, entity) {
  const { conflict } = store.state.selection;
  const stays = store.state.doc.conflicts[conflict ?? -1]?.some((each) => isValue(each) && each.entity === entity);
  store.set({ selection: { ...NOTHING, first: entity, conflict: stays ? conflict : null } });
}

/**
 * @param {Selecting} store
 * @param {number} conflict
 */
export function chooseConflict(store, conflict) {
  store.set({ selection: { ...NOTHING, conflict } });
}

/** @param {Selecting} store */
export function clearSelection(store) {
  store.set({ selection: NOTHING });
}

/**
 * Return the selection as far as the document still has what it names.
 * @param {Selection} selection
 * @param {Doc} doc
 * @returns {Selection}
 */
export function stillThere(selection, doc) {
  const has = (/** @type {string | null} */ id) => (id !== null && doc.index.entities.has(id) ? id : null);
  const first = has(selection.first);
  const second = first === null ? null : has(selection.second);
  let link = doc.index.links.has(selection.link) ? selection.link : null;
  if (link === null && first !== null && second !== null) link = statedLinks(doc, first, second)[0]?.id ?? null;
  return {
    first,
    second,
    link,
    conflict: selection.conflict !== null && selection.conflict < doc.conflicts.length ? selection.conflict : null,
  };
}

/**
 * Return the links between two entities, in both directions.
 * @param {Doc} doc
 * @param {string} first
 * @param {string} second
 */
export function statedLinks(doc, first, second) {
  return doc.links.filter(
    (link) => (link.source === first && link.target === second) || (link.source === second && link.target === first),
  );
}

/**
 * Return what the selection covers, as sets of ids: {entities, links} that are chosen, and the others of a chosen conflict.
 * @param {Shown} shown
 */
export function covered({ selection, doc }) {
  const entities = new Set([selection.first, selection.second].filter((id) => id !== null));
  const links = new Set(selection.link === null ? [] : [selection.link]);
  const conflict = doc.conflicts[selection.conflict ?? -1] ?? [];
  const stated = conflict.filter((fact) => !isValue(fact));
  const otherLinks = new Set(stated.map((link) => link.id).filter((id) => !links.has(id)));
  const otherEntities = new Set(conflict.flatMap(endsOf).filter((id) => !entities.has(id)));
  return { entities, links, otherEntities, otherLinks };
}

/** How an entity is marked that has nothing to do with the selection or a conflict. */
export const PLAIN = { number: "", isChosen: false, isOther: false, isConflicted: false };

/**
 * Return how entities are marked, by id; all others are PLAIN. Views touch only what changes: there may be thousands.
 * @param {Shown} shown
 * @returns {Map<string | null | undefined, Mark>}
 */
export function entityMarks({ selection, doc }) {
  const { entities, otherEntities } = covered({ selection, doc });
  const numberOf = (/** @type {string} */ id) => (id === selection.first ? "1" : "2");
  const marked = new Set([...entities, ...otherEntities, ...doc.index.conflictedEntities]);
  return new Map(
    [...marked].map((id) => [
      id,
      {
        number: entities.has(id) ? numberOf(id) : "",
        isChosen: entities.has(id),
        isOther: otherEntities.has(id),
        isConflicted: doc.index.conflictedEntities.has(id),
      },
    ]),
  );
}

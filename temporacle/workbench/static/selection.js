// The one selection of the document page: {first, second, link, conflict}. Every view shows it, every view can change it.

export const NOTHING = { first: null, second: null, link: null, conflict: null };

/** Choose an entity: the first one, then the second one of a pair, then a first one again. */
export function chooseEntity(store, id) {
  const { first, second } = store.state.selection;
  if (first === id && second === null) clearSelection(store);
  else if (first !== null && second === null) choosePair(store, first, id);
  else store.set({ selection: { ...NOTHING, first: id } });
}

/** Choose two entities, and the link between them if there is one. */
export function choosePair(store, first, second) {
  const stated = statedLinks(store.state.doc, first, second);
  const link = stated.find((each) => each.source === first) ?? stated[0];
  if (link) chooseLink(store, link.id);
  else store.set({ selection: { ...NOTHING, first, second } });
}

export function chooseLink(store, id) {
  const link = store.state.doc.index.links.get(id);
  if (!link) return;
  const { conflict } = store.state.selection;
  const stays = conflict !== null && store.state.doc.conflicts[conflict]?.some((each) => each.id === id);
  store.set({ selection: { first: link.source, second: link.target, link: id, conflict: stays ? conflict : null } });
}

export function chooseConflict(store, conflict) {
  store.set({ selection: { ...NOTHING, conflict } });
}

export function clearSelection(store) {
  store.set({ selection: NOTHING });
}

/** Return the selection as far as the document still has what it names. */
export function stillThere(selection, doc) {
  const has = (id) => (id !== null && doc.index.entities.has(id) ? id : null);
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

/** Return the links between two entities, in both directions. */
export function statedLinks(doc, first, second) {
  return doc.links.filter(
    (link) => (link.source === first && link.target === second) || (link.source === second && link.target === first),
  );
}

/** Return what the selection covers, as sets of ids: {entities, links} that are chosen, and the others of a chosen conflict. */
export function covered({ selection, doc }) {
  const entities = new Set([selection.first, selection.second].filter((id) => id !== null));
  const links = new Set(selection.link === null ? [] : [selection.link]);
  const conflict = doc.conflicts[selection.conflict] ?? [];
  const otherLinks = new Set(conflict.map((link) => link.id).filter((id) => !links.has(id)));
  const otherEntities = new Set(
    conflict.flatMap((link) => [link.source, link.target]).filter((id) => !entities.has(id)),
  );
  return { entities, links, otherEntities, otherLinks };
}

/** How an entity is marked that has nothing to do with the selection or a conflict. */
export const PLAIN = { number: "", isChosen: false, isOther: false, isConflicted: false };

/** Return how entities are marked, by id; all others are PLAIN. Views touch only what changes: there may be thousands. */
export function entityMarks({ selection, doc }) {
  const { entities, otherEntities } = covered({ selection, doc });
  const numbers = { [selection.second]: "2", [selection.first]: "1" };
  const marked = new Set([...entities, ...otherEntities, ...doc.index.conflictedEntities]);
  return new Map(
    [...marked].map((id) => [
      id,
      {
        number: entities.has(id) ? numbers[id] : "",
        isChosen: entities.has(id),
        isOther: otherEntities.has(id),
        isConflicted: doc.index.conflictedEntities.has(id),
      },
    ]),
  );
}

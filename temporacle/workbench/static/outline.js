// A document as the server gives it, with the indexes that the views need.

/** Return the document with `index`: entities and links by id, links by pair, and what is part of a conflict. */
export function outline(doc) {
  const entities = new Map(doc.entities.map((entity) => [entity.id, entity]));
  const links = new Map(doc.links.map((link) => [link.id, link]));
  const conflicted = new Set(doc.conflicts.flat().map((link) => link.id));
  const conflictedEntities = new Set(doc.conflicts.flat().flatMap((link) => [link.source, link.target]));
  return { ...doc, index: { entities, links, conflicted, conflictedEntities } };
}

/** Return a short name of an entity: its words, or its id where there are none. */
export function nameOf(doc, id) {
  const text = doc.index.entities.get(id)?.text?.trim().replace(/\s+/gu, " ");
  if (!text) return id;
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** Return the kind of an entity as the style sheets call it. */
export function kindOf(entity) {
  if (entity?.dct) return "dct";
  return ["event", "time"].includes(entity?.kind) ? entity.kind : "unknown";
}

/** Return a string that two equal conflicts share. */
export function conflictKey(conflict) {
  return conflict
    .map((link) => `${link.id} ${link.label}`)
    .sort()
    .join("\n");
}

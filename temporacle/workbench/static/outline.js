// A document as the server gives it, with the indexes that the views need.

/**
 * @typedef {object} Entity
 * @property {string} id
 * @property {string | null} [kind]
 * @property {string | null} [text]
 * @property {number | null} [start] in code points
 * @property {number | null} [end]
 * @property {boolean} [dct]
 * @property {string | null} [value] of a time, on the calendar
 *
 * @typedef {object} Link
 * @property {string} id
 * @property {string} source
 * @property {string} target
 * @property {string | null} [label]
 * @property {string[]} [relation] Allen's atoms
 * @property {number | null} [line]
 * @property {string | null} [comment]
 * @property {string | null} [source_text]
 * @property {string | null} [target_text]
 *
 * @typedef {object} Value what a time says about the calendar; it counts as a link does
 * @property {string} id "t3" or "t5.beginPoint"
 * @property {string} entity
 * @property {"value" | "beginPoint" | "endPoint"} attribute
 * @property {string | null} value
 * @property {string | null} [mod]
 * @property {string | null} [text]
 * @property {number | null} [line]
 * @property {Record<string, (string | number)[]>} [reads] its limits of start, end and length
 *
 * @typedef {Link | Value} Fact
 * @typedef {Fact[]} Conflict
 *
 * @typedef {object} Place where an entity certainly lies, in steps; null: no limit
 * @property {number} lane
 * @property {number | null} earliest start
 * @property {number | null} start the latest
 * @property {number | null} end the earliest
 * @property {number | null} latest end
 * @property {string} words
 * @property {(string | null)[]} [dates] the same limits on the calendar
 *
 * @typedef {object} GivenDocument
 * @property {string | null} text
 * @property {Entity[]} entities
 * @property {Link[]} links
 * @property {Value[]} [values] those that constrain something
 * @property {object | null} [calendar] how values are read; null: they do not count
 * @property {string} verdict
 * @property {Conflict[]} conflicts
 * @property {string[]} [words] each conflict as `check` prints it
 * @property {string} [needs] what the repair removes, in a sentence
 * @property {string[]} [repair_ids]
 * @property {Record<string, string[]> | null} [alternatives] links that could be removed instead of one of the repair
 * @property {Record<string, Place> | null} timeline
 * @property {{message: string, line?: number | null}[]} [warnings]
 * @property {string | null} [unfinished]
 * @property {string} format
 * @property {string} reading
 * @property {boolean} read_only
 * @property {boolean} reviewed
 * @property {string} note
 * @property {number} revision
 * @property {number} unsaved
 * @property {number} undo
 * @property {number} redo
 * @property {number} [recovered]
 * @property {string} saves
 * @property {string | null} why_export
 * @property {string[]} [exports]
 * @property {string[]} exports_comments
 *
 * @typedef {object} Index
 * @property {Map<string | null | undefined, Entity>} entities by id
 * @property {Map<string | null | undefined, Link>} links by id
 * @property {Set<string>} conflicted links that are part of a conflict
 * @property {Set<string>} conflictedEntities
 *
 * @typedef {GivenDocument & {index: Index}} Doc
 */

/**
 * Return the document with `index`: entities and links by id, and what is part of a conflict.
 * @param {GivenDocument} doc
 * @returns {Doc}
 */
export function outline(doc) {
  const entities = new Map(doc.entities.map((entity) => [entity.id, entity]));
  const links = new Map(doc.links.map((link) => [link.id, link]));
  const facts = doc.conflicts.flat();
  const conflicted = new Set(facts.filter((fact) => !isValue(fact)).map((link) => link.id));
  const conflictedEntities = new Set(facts.flatMap(endsOf));
  return { ...doc, index: { entities, links, conflicted, conflictedEntities } };
}

/**
 * @param {Fact} fact
 * @returns {fact is Value}
 */
export function isValue(fact) {
  return "entity" in fact;
}

/**
 * Return the entities that a fact is about.
 * @param {Fact} fact
 */
export function endsOf(fact) {
  return isValue(fact) ? [fact.entity] : [fact.source, fact.target];
}

/**
 * Return a short name of an entity: its words, or its id where there are none.
 * @param {Doc} doc
 * @param {string} id
 */
export function nameOf(doc, id) {
  const text = doc.index.entities.get(id)?.text?.trim().replace(/\s+/gu, " ");
  if (!text) return id;
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/**
 * Return the kind of an entity as the style sheets call it.
 * @param {Entity | undefined} entity
 * @returns {"dct" | "event" | "time" | "unknown"}
 */
export function kindOf(entity) {
  if (entity?.dct) return "dct";
  return entity?.kind === "event" || entity?.kind === "time" ? entity.kind : "unknown";
}

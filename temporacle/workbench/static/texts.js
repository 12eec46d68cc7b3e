// Every English text of the workbench stands here.

/**
 * Texts by name; those with blanks are functions.
 * @typedef {{[name: string]: string | ((...values: any[]) => string) | Texts | {keys: string[], words: string}[]}} Texts
 */

/** @type {(number: number, one: string, many: string) => string} */
const plural = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
/** @param {number} number */
const links = (number) => plural(number, "link", "links");
/** @param {string[]} names */
const listing = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/** @type {Record<string, string>} */
const VERDICTS = {
  consistent: "consistent",
  inconsistent: "inconsistent",
  undecided: "undecided",
  unreadable: "unreadable",
  unchecked: "unchecked: no link could be used",
  pending: "not checked yet",
};

// How each of Allen's relations reads between two names.
/** @type {Record<string, string>} */
const ATOMS = {
  b: "is before",
  m: "ends when the other starts",
  o: "starts first and overlaps",
  fi: "starts first and ends with",
  di: "includes",
  s: "starts with and ends before",
  "=": "is at the same time as",
  si: "starts with and ends after",
  d: "is inside",
  f: "starts later and ends with",
  oi: "starts later and outlasts",
  mi: "starts when the other ends",
  bi: "is after",
};

/** @satisfies {Texts} */
export const T = {
  title: (name) => `${name} · Temporacle workbench`,
  skip: "Skip to the content",
  listing,
  verdict: (verdict) => VERDICTS[verdict] ?? verdict,

  errors: {
    gone: "The server does not answer.",
    status: (status) => `The server refused the request (status ${status}).`,
    missing: "The address names no document. Open one from the list of documents.",
  },

  connection: {
    gone: "The workbench server does not answer.",
    stranger: "The workbench server was started again and has a new address.",
    kept:
      "Confirmed edits are kept in a journal beside the corpus. If the server was stopped, start it again with the same command, " +
      "and paste the new address that the terminal shows. If it is only busy, wait: the page connects again by itself.",
    unsent: (words) => `The server did not confirm your last edit: ${words}. This page keeps it and offers it again.`,
    address: "New address",
    placeholder: "http://127.0.0.1:…/?token=…",
    go: "Continue there",
    back: "Connected again.",
    badAddress: "Paste the whole address that the terminal shows, including the token.",
  },

  actions: {
    close: "Close",
    undo: "Undo",
    redo: "Redo",
    save: "Save",
    export: "Export",
    discard: "Discard edits",
    help: "Keys (?)",
    cancel: "Cancel",
    remove: "Remove",
    apply: "Apply",
    comment: "Comment",
    forget: "Forget it",
    keep: "Keep them",
  },

  keys: {
    title: "Keys",
    or: " or ",
    help: "show this list",
    /** @type {Record<string, string>} */
    names: {
      ArrowDown: "↓",
      ArrowUp: "↑",
      ArrowLeft: "←",
      ArrowRight: "→",
      Escape: "Esc",
      "Ctrl+z": "Ctrl + Z",
      "Ctrl+y": "Ctrl + Y",
      "Ctrl+Z": "Ctrl + Shift + Z",
      "Ctrl+s": "Ctrl + S",
    },
    everywhere: [
      { keys: ["?"], words: "show this list" },
      { keys: ["Tab"], words: "go to the next part or control" },
    ],
    search: "search",
    open: "open the document",
    move: "move",
    list: "go to the list",
    filter: "filter by verdict",
    text: "go to the text: ← and → move between entities, Enter chooses one, then a second one",
    findings: "go to the findings",
    pair: "go to the labels of the chosen pair: ↑ and ↓ move, Enter applies",
    links: "go to the links: ↑ and ↓ choose, Enter goes to the labels",
    timeline: "go to the timeline: ↑ and ↓ move, Enter chooses",
    nextConflict: "choose the next conflict",
    previousConflict: "choose the previous conflict",
    undo: "undo",
    redo: "redo",
    save: "save",
    remove: "remove the chosen link",
    comment: "comment on the chosen link",
    clear: "clear the selection",
    back: "back to the documents",
    first: "take the first side",
    second: "take the second side",
    neither: "take neither side",
    reopen: "open the difference again",
    next: "next difference",
    previous: "previous difference",
    nextOpen: "next open difference",
  },

  corpus: {
    heading: "Documents",
    list: "Documents, inconsistent ones first",
    columns: {
      id: "Document",
      verdict: "Verdict",
      links: "Links",
      entities: "Entities",
      conflicts: "Conflicts",
      unsaved: "Unsaved edits",
      decided: "Decided",
    },
    search: "Search",
    verdict: "Verdict",
    all: "all verdicts",
    shown: (shown, all) =>
      shown === all
        ? plural(all, "document", "documents")
        : `${shown.toLocaleString("en")} of ${plural(all, "document", "documents")}`,
    progress: (done, all) =>
      done < all
        ? `Checking: ${done.toLocaleString("en")} of ${plural(all, "document", "documents")}`
        : `${plural(all, "document", "documents")} checked`,
    summary: (counts) =>
      listing(
        Object.entries(counts)
          .filter(([, n]) => n)
          .map(([verdict, n]) => `${n.toLocaleString("en")} ${VERDICTS[verdict] ?? verdict}`),
      ),
    nothing: "No document matches. Change the search or the verdict.",
    empty: "There are no documents here.",
    hint: "↑ ↓ move · Enter opens · / searches · ? lists all keys",
    decided: (taken, all) => `${taken} of ${all}`,
    remarks: "Not in the list",
    interrupted: "The list is incomplete until the server answers again.",
  },

  document: {
    way: "Documents",
    loading: "Reading the document…",
    facts: (doc) =>
      `${plural(doc.entities.length, "entity", "entities")}, ${links(doc.links.length)} · ${doc.format} · labels read as ${doc.reading}`,
    readOnly: "Read-only: this document can be looked at, not changed.",
    unsaved: (n) => (n ? plural(n, "unsaved edit", "unsaved edits") : "no unsaved edits"),
    recovered: (n) =>
      `${plural(n, "unsaved edit", "unsaved edits")} of an earlier run ${n === 1 ? "was" : "were"} recovered and applied. Save to keep, or discard to return to the file.`,
    warnings: (n) => plural(n, "warning", "warnings"),
    saved: (path, backup) => `Saved to ${path}.${backup ? ` The original is kept as ${backup}.` : ""}`,
    exportOnly: (why) =>
      `This document cannot be saved back into its file${why ? `: ${why.replace(/\.$/u, "")}` : ""}. Export it instead.`,
    exportAs: "Export as",
    withoutComments: (format) => `A ${format} file has no place for comments. Export the document without them?`,
    discardSure: (n) => `Discard ${plural(n, "unsaved edit", "unsaved edits")} and return to the file?`,
    discarded: "Unsaved edits are discarded. The document is as in its file.",
    elsewhere:
      "This document was changed in another tab. Your last action was not carried out. The page now shows the present state: look, and repeat the action if you still want it.",
    unsentOffer: (words) => `This edit was not confirmed by the server before: ${words}. Apply it now?`,
    nothingToUndo: "There is nothing to undo.",
    nothingToRedo: "There is nothing to redo.",
    nothingToSave: "There is nothing to save.",
    noLink: "Choose a link first.",
  },

  kinds: { event: "event", time: "time expression", dct: "document creation time", unknown: "kind not given" },

  text: {
    heading: "Text",
    label: "Text with its entities",
    none: "This document has no text. Its entities:",
    outside: "Not in the text:",
    inConflict: "in a conflict",
    entity: (id, text, kind, marks) => `${text || id} (${id}, ${kind})${marks.length ? `, ${marks.join(", ")}` : ""}`,
    first: "chosen first",
    second: "chosen second",
  },

  links: {
    heading: "Links",
    label: "Links of the document",
    filter: "Filter links",
    near: "only links of the selection",
    columns: { id: "Link", source: "From", label: "Label", target: "To", state: "State" },
    conflict: "conflict",
    redundant: "redundant",
    added: "new",
    commented: "comment",
    shown: (shown, all) => (shown === all ? links(all) : `${shown.toLocaleString("en")} of ${links(all)}`),
  },

  timeline: {
    heading: "Timeline",
    label: "A timeline on which every link holds, one bar for each entity, in order of start",
    consistent: "One possible timeline. Every link holds on it; only the order counts, not the length.",
    repaired: "The links contradict each other. This timeline holds for the document without the links of its repair.",
    none: "The links contradict each other, so no timeline exists. Remove or change a link of each conflict.",
    undecided: "The time limit ran out before a timeline was found.",
    bar: (name, start, end) => `${name}: from ${start} to ${end}`,
  },

  findings: {
    heading: "Findings",
    consistent: "Every link holds on one timeline.",
    undecided: "The time limit ran out before an answer was found.",
    unreadable: "The document cannot be read.",
    unchecked: "No link of the document could be used, so nothing was checked.",
    conflicts: (n) =>
      n === 1 ? "The links contradict each other." : `The links contradict each other in ${n} places.`,
    conflict: (number, all) => (all === 1 ? "Conflict" : `Conflict ${number} of ${all}`),
    why: "Why they contradict each other",
    line: (line) => ` (line ${line})`,
    proposal: "Propose a repair",
    repair: "Smallest repair",
    repairHint:
      "Removing these links makes the document consistent at the lowest total weight. It does not know which link is wrong: read the conflict to decide.",
    repairAll: (n) => (n === 1 ? "Remove this link" : `Remove all ${n} links`),
    repairNone: "There is nothing to repair.",
    instead: (ids) =>
      `${ids.length < 2 ? ids.join("") : `${ids.slice(0, -1).join(", ")} or ${ids.at(-1)}`} would also do`,
    answer: "Last edit",
    newConflicts: "New conflict:",
    redundant: "Now follows from the other links:",
    warnings: "Warnings",
  },

  pair: {
    heading: "Pair",
    none: "Choose a link, or choose two entities in the text, one after the other.",
    one: (name) => `${name} is chosen. Choose a second entity to see what is possible between the two.`,
    loading: "Finding out what is possible…",
    swap: "Swap",
    swapLabel: "Swap the two entities",
    stated: "Stated",
    notStated: "No link is stated between the two.",
    follows: "Follows",
    followsOthers: (id) => `Follows without ${id}`,
    nothing: "Nothing follows. Every order is still possible.",
    from: "from",
    fromNothing: "without any link",
    repaired: "The links contradict each other. This holds without the links of the repair.",
    inRepair: (ids) => `${listing(ids)} ${ids.length === 1 ? "is" : "are"} part of the repair.`,
    undecided: "The time limit ran out: it is not known what follows.",
    except: (words) => `Everything is possible except: ${words}`,
    atom: (atom) => ATOMS[atom] ?? atom,
    or: " or ",
    possible: "possible",
    impossible: "impossible",
    following: "already follows",
    unknown: "undecided",
    present: "present label",
    wouldConflict: "with",
    mode: "Edit",
    change: (id) => `Change ${id}`,
    add: "Add a new link",
    labels: (mode) => `${mode}: choose a label`,
    apply: (label) => `Apply ${label}`,
    preview: (verdict, redundant) =>
      `Preview: the document would be ${VERDICTS[verdict] ?? verdict}${redundant.length ? `, and ${listing(redundant)} would follow from the other links` : ""}.`,
    comment: (id) => `Comment on ${id}`,
    keepComment: "Keep comment",
    remove: (id) => `Remove ${id}`,
    same: "An entity cannot be linked to itself.",
  },

  edits: {
    add: (source, label, target) => `added ${source} ${label} ${target}`,
    remove: (ids) => `removed ${listing(ids)}`,
    relabel: (id, label) => `changed ${id} to ${label}`,
    comment: (id) => `commented on ${id}`,
    undo: "undid the last edit",
    redo: "redid the edit",
    answer: (did, verdict, fresh, redundant, resolved = 0) =>
      `${did[0].toUpperCase()}${did.slice(1)}. The document is ${VERDICTS[verdict] ?? verdict}` +
      `${fresh ? `, with ${plural(fresh, "new conflict", "new conflicts")}` : ""}${resolved ? `; ${plural(resolved, "conflict is", "conflicts are")} resolved` : ""}${redundant.length ? `; ${listing(redundant)} now ${redundant.length === 1 ? "follows" : "follow"} from the other links` : ""}.`,
  },

  threeWay: {
    title: "The file changed on disk",
    label: "Your links and the links in the file",
    intro:
      "Another program changed this file after it was opened. Nothing was written. For each difference, take your version or the one in the file.",
    columns: { pair: "Pair", base: "As opened", mine: "Yours", theirs: "In the file now" },
    nothing: "no link",
    take: { mine: "Take yours", theirs: "Take the file's" },
    clash: "Both sides changed this pair: choose.",
    merge: "Merge",
    mergeSave: "Merge and save",
    open: (n) => `${plural(n, "choice is", "choices are")} still open.`,
    none: "The links are the same on both sides. Merge to continue on the file as it is now.",
    merged: "Merged with the file as it is now. Save to write the result.",
  },

  adjudicate: {
    first: "First annotator",
    second: "Second annotator",
    list: "Differences between the two annotators",
    loading: "Comparing the two annotators…",
    columns: { number: "No.", pair: "Pair", taken: "Taken" },
    progress: (done, all) => `${done} of ${plural(all, "difference", "differences")} decided`,
    agreed: (n) => (n === 1 ? "1 link agreed by both" : `${n.toLocaleString("en")} links agreed by both`),
    nothing: "no link",
    noSentence: "No sentence is known for this pair.",
    follows: (name) => `Already follows from the links of ${name}.`,
    notFollows: (name) => `Does not follow from the links of ${name}.`,
    followsUnknown: (name) => `It is not known whether this follows from the links of ${name}.`,
    undecided: "The time limit ran out: it is not known whether this contradicts what is taken so far.",
    impossible: "Contradicts what is taken so far:",
    take: (key, name) => `Take ${name} (${key})`,
    neither: "Take neither (0)",
    reopen: "Open again (r)",
    taken: { first: "first", second: "second", neither: "neither", null: "open" },
    done: (n) => `All ${plural(n, "difference is", "differences are")} decided.`,
    same: "The two annotators agree on every link.",
    inconsistent: "The result is inconsistent. Mend it on the document page before saving:",
    openDocument: "open the document",
    save: "Save the result",
    saved: (path) => `Saved to ${path}.`,
    savedPart: (open) =>
      `${plural(open, "difference is", "differences are")} still open. Their links are not part of the result.`,
    hint: "1 takes the first · 2 the second · 0 neither · j and k move · ? lists all keys",
    answer: (pair, side, verdict) => `${pair}: ${side}. The result is ${VERDICTS[verdict] ?? verdict}.`,
    nextDocument: "Back to the documents",
  },
};

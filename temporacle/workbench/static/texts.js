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

/** @type {Record<string, string>} */
const REVIEWS = { reviewed: "reviewed", open: "not reviewed", noted: "with a note" };

/** @satisfies {Texts} */
export const T = {
  title: (name) => `${name} · Temporacle workbench`,
  status: "What happened",
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
    more: "filter by review, size of a conflict, label or message",
    sort: "sort by the next column",
    turn: "turn the order round",
    review: "note that the document is reviewed, or not",
    nextDocument: "next document of the list",
    previousDocument: "previous document of the list",
    text: "go to the text: ← and → move between entities, Enter chooses one, then a second one",
    findings: "go to the findings",
    pair: "go to the labels of the chosen pair: ↑ and ↓ move, Enter applies",
    links: "go to the links: ↑ and ↓ choose, Enter goes to the labels",
    timeline: "go to the timeline: ↑ and ↓ move, Enter chooses",
    nextConflict: "choose the next conflict",
    whole: "show the whole text, or only the sentences of the chosen conflict",
    previousConflict: "choose the previous conflict",
    undo: "undo",
    redo: "redo",
    save: "save",
    remove: "remove the chosen link",
    comment: "comment on the chosen link",
    clear: "clear the selection",
    back: "back to the documents",
    side: (name) => `take ${name}`,
    order: "ask in the other order: what settles most first, or as in the text",
    fold: "show or hide what is settled",
    neither: "take neither side",
    reopen: "open the difference again",
    accept: "remove the links of the repair, if agreed links contradict each other",
    next: "next difference",
    previous: "previous difference",
    nextOpen: "next open difference",
  },

  corpus: {
    heading: "Documents",
    list: "Documents",
    columns: {
      id: "Document",
      verdict: "Verdict",
      links: "Links",
      entities: "Entities",
      conflicts: "Conflicts",
      unsaved: "Unsaved",
      decided: "Decided",
      reviewed: "Reviewed",
    },
    everything: "everything",
    more: "Only",
    /** @type {Record<string, string>} */
    groups: { review: "Review", size: "Size of a conflict", label: "Label", code: "Message" },
    facet: (group, name) =>
      group === "size" ? `a conflict of ${name} links` : group === "review" ? REVIEWS[name] : name,
    reviewed: "✓",
    noteFor: (name) => `Note on ${name} (may be empty):`,
    review: (done, all) => `${done.toLocaleString("en")} of ${plural(all, "document", "documents")} reviewed`,
    exportReviews: "Reviews as a table",
    statistics: "Figures of the corpus",
    figures: (found) =>
      `${plural(found.documents, "document", "documents")}, ${plural(found.entities, "entity", "entities")}, ${links(found.links)}, ${plural(found.conflicts, "conflict", "conflicts")}.`,
    byLabel: { name: "Label", count: "Links" },
    bySize: { name: "Links in a conflict", count: "Conflicts" },
    skippedBy: { name: "Skipped because of", count: "Links" },
    agreement: (found) => `Kappa ${figure(found.kappa)}, alpha ${figure(found.alpha)} of all documents, as stated`,
    search: "Search",
    verdict: "Verdict",
    all: "all verdicts",
    shown: (shown, all) =>
      shown === all ? "" : `${shown.toLocaleString("en")} of ${plural(all, "document", "documents")}`,
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
    skipped: " skipped",
    remarks: "Not in the list",
    interrupted: "The list is incomplete until the server answers again.",
  },

  document: {
    way: "Documents",
    loading: "Reading the document…",
    noNeighbour: "There is no other document in this direction, or the list was not opened in this tab.",
    reviewed: "Reviewed",
    isReviewed: (yes) => (yes ? "The document is reviewed." : "The document is not reviewed."),
    facts: (doc) =>
      `${plural(doc.entities.length, "entity", "entities")}, ${links(doc.links.length)} · ${doc.format} · label set ${doc.reading}`,
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
    whole: "Show the whole text (z)",
    onlyConflict: "Show only the sentences of the conflict (z)",
    heading: "Text",
    label: "Text with its entities",
    none: "This document has no text. Its entities:",
    outside: "Not in the text:",
    inConflict: "in a conflict",
    entity: (id, text, kind, marks) =>
      `${text && text !== id ? `${text} ` : ""}${id} (${kind})${marks.length ? `, ${marks.join(", ")}` : ""}`,
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
    label: "What is certain about the order, one bar for each entity",
    consistent:
      "Only what is certain is drawn. Solid: the entity certainly lasts then. Outline: it may reach so far. Numbers count places in order, not time. Parts stand apart where no order with the numbered places is certain.",
    repaired:
      "The links contradict each other. Drawn is what is certain without the links of the repair. Solid: the entity certainly lasts then. Outline: it may reach so far.",
    none: "The links contradict each other, so no timeline exists. Remove or change a link of each conflict.",
    undecided: "The time limit ran out before a timeline was found.",
    part: (number, isDated) => (isDated ? "On the calendar" : `Part ${number}`),
    unordered: "No certain order",
    bar: (name, where) => `${name}: ${where}`,
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
    why: (facts) => (facts === 1 ? "Why it contradicts itself" : "Why they contradict each other"),
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

  value: {
    heading: "Value",
    stated: (words) => `Stated: ${words}`,
    none: "No value is stated, or it says nothing about the calendar.",
    certain: (words) => `Certain with all links and values: ${words}.`,
    certainRepaired: (words) => `Certain without the links and values of the repair: ${words}.`,
    label: (name) => `Value of ${name}`,
    set: "Set",
    take: (id) => `Remove ${id}`,
    names: (id, other) => `${id} names ${other}`,
    preview: (verdict, conflicts) =>
      `Preview: the document would be ${VERDICTS[verdict] ?? verdict}${conflicts ? `, with ${plural(conflicts, "conflict", "conflicts")}` : ""}.`,
    and: " and ",
    /** @type {Record<string, string>} */
    points: { start: "starts", end: "ends", length: "lasts" },
    /** @type {Record<string, string>} */
    signs: { ">=": "at or after", "<=": "at or before", ">": "after", "<": "before", "=": "at" },
    /** @type {Record<string, string>} */
    lengthSigns: { ">=": "at least", "<=": "at most", ">": "more than", "<": "less than", "=": "exactly" },
    seconds: (n) => (n % 86400 === 0 ? plural(n / 86400, "day", "days") : plural(n, "second", "seconds")),
  },

  edits: {
    add: (source, label, target) => `added ${source} ${label} ${target}`,
    remove: (ids) => `removed ${listing(ids)}`,
    relabel: (id, label) => `changed ${id} to ${label}`,
    comment: (id) => `commented on ${id}`,
    value: (id, value) => (value === null ? `removed the value of ${id}` : `set the value of ${id} to ${value}`),
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
    list: "Differences between the annotators",
    question: "The question and the text",
    loading: "Comparing the annotators…",
    columns: { number: "No.", pair: "Pair", taken: "Taken" },
    progress: (done, settled, all) =>
      `${done + settled} of ${plural(all, "difference", "differences")} decided` +
      (settled ? `: ${done} by you, ${settled} settled by what follows` : ""),
    agreed: (n, sides) =>
      `${n === 1 ? "1 link" : `${n.toLocaleString("en")} links`} agreed by ${sides === 2 ? "both" : `all ${sides}`}`,
    nothing: "no link",
    noSentence: "No sentence is known for this pair.",
    follows: (names) => `Already follows from the links of ${names}.`,
    saysNothing: "Leaves every order open.",
    notFollows: "Does not follow from the links of another side.",
    followsUnknown: (names) => `It is not known whether this follows from the links of ${names}.`,
    undecided: "The time limit ran out: it is not known whether this contradicts what is taken so far.",
    impossible: "Contradicts what is taken so far:",
    take: (key, name) => `Take ${name} (${key})`,
    neither: "Take neither (0)",
    reopen: "Open again (r)",
    settles: (n) => `The answers of all sides settle ${plural(n, "other difference", "other differences")} together.`,
    /** @type {Record<string, string>} */
    taken: { 0: "neither", null: "open" },
    settledMark: "(settled)",
    /** @type {Record<string, (side: string) => string>} */
    why: {
      follows: (side) => `Settled: what ${side} says follows.`,
      only: (side) => `Settled: only ${side} is possible. All other sides contradict what is taken.`,
      none: () => "Settled: no side is possible. All sides contradict what is taken.",
    },
    after: (number) => `after the decision about difference ${number}`,
    ofDifference: (number) => `difference ${number}`,
    agreedLink: "agreed or edited",
    fold: (folded, n) => `${folded ? "Show" : "Hide"} ${plural(n, "settled difference", "settled differences")} (h)`,
    order: {
      informative: "Order: what settles most first (o)",
      text: "Order: as in the text (o)",
    },
    ownConflict: (name, n) => `The links of ${name} contradict each other: a conflict of ${n} links`,
    /** @type {(names: string[], now: any, first: any) => string} */
    figures: (names, now, first) => {
      const kappa = `Kappa ${figure(now.kappa)}, alpha ${figure(now.alpha)} as stated.`;
      const pairs = names.flatMap((one, place) => names.slice(place + 1).map((other) => [one, other]));
      const aware = pairs.map(([one, other], place) => {
        const [there, back] = now.awareness[place];
        return `${percent(there)} of ${one} follows from ${other}, ${percent(back)} of ${other} from ${one}.`;
      });
      const result = names.map((name, place) => {
        const [there] = now.with_result[place].awareness;
        const [before] = first.with_result[place].awareness;
        return `${percent(there)} of ${name}${change(there, before)}`;
      });
      return `${kappa} ${aware.join(" ")} From the result follows ${result.join(", ")}.`;
    },
    did: { undo: "Undid the last decision.", redo: "Made the decision again." },
    log: "Log of decisions",
    done: (n) => `All ${plural(n, "difference is", "differences are")} decided.`,
    same: "The annotators agree on every link.",
    inconsistent: "The agreed links contradict each other. No side can be taken before they are mended.",
    removeThem: (ids) => `Remove ${ids.join(", ")} (a)`,
    mended: (name) => `${name} (without the repair)`,
    mendedAgain: "The agreed links are consistent now.",
    openDocument: "open the document",
    save: "Save the result",
    saved: (path) => `Saved to ${path}.`,
    savedPart: (open) =>
      `${plural(open, "difference is", "differences are")} still open. Their links are not part of the result.`,
    hint: (sides) =>
      `${sides === 2 ? "1 and 2" : `1 to ${Math.min(9, sides)}`} take a side · 0 neither · u undoes · j and k move · ? lists all keys`,
    answer: (pair, side, settled) =>
      `${pair}: ${side}.${settled > 0 ? ` That settles ${plural(settled, "other difference", "other differences")}.` : ""}`,
    nextDocument: "Back to the documents",
  },
};

/** @param {number | null} value */
function figure(value) {
  return value === null ? "–" : value.toFixed(2);
}

/** @param {number | null} value */
function percent(value) {
  return value === null ? "–" : `${Math.round(100 * value)}\u00a0%`;
}

/**
 * @param {number | null} now
 * @param {number | null} before
 */
function change(now, before) {
  if (now === null || before === null) return "";
  const points = Math.round(100 * now) - Math.round(100 * before);
  return points ? ` (${points > 0 ? "+" : "−"}${Math.abs(points)})` : "";
}

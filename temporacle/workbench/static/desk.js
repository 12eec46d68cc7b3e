// The open document: reading it, editing it, saving it. Each request waits for the one before it.

import { documentPath, get, post } from "./api.js";
import { complain, notify, say } from "./frame.js";
import { nameOf, outline } from "./outline.js";
import { NOTHING, stillThere } from "./selection.js";
import { createStore } from "./store.js";
import { T } from "./texts.js";

/**
 * @import { Conflict, Doc, Fact, Link } from "./outline.js"
 * @import { Selection } from "./selection.js"
 * @import { Unsent } from "./unsent.js"
 *
 * @typedef {{did: string, verdict: string, fresh: Conflict[], resolved: number, redundant: string[], added: string[]}} Answer
 *
 * @typedef {object} State
 * @property {Doc} doc as the server has it; null until it is read
 * @property {Selection} selection
 * @property {Answer | null} answer to the last edit
 * @property {Fact[] | null} repair proposed for this state of the document
 * @property {Unsent | null} unsent an edit that the server did not confirm
 * @property {{link: string, text: string} | null} draft a comment being written
 * @property {boolean} busy
 *
 * @typedef {ReturnType<typeof openDesk>} Desk
 */

/** @type {Record<string, string>} */
const NOTHING_TO = { undo: T.document.nothingToUndo, redo: T.document.nothingToRedo };

/** @param {string} id */
export function openDesk(id) {
  const path = documentPath(id);
  /** @type {State} */
  const initial = {
    doc: /** @type {any} */ (null),
    selection: NOTHING,
    answer: null,
    repair: null,
    unsent: null,
    draft: null,
    busy: false,
  };
  const store = createStore(initial);
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();

  /**
   * @template Found
   * @param {() => Promise<Found>} action
   * @returns {Promise<Found | null>}
   */
  function inTurn(action) {
    const turn = last.then(async () => {
      store.set({ busy: true });
      try {
        return await action();
      } catch (error) {
        complain(error);
        return null;
      } finally {
        store.set({ busy: false });
      }
    });
    last = turn;
    return turn;
  }

  async function read() {
    const doc = outline(await get(path));
    store.set({ doc, selection: stillThere(store.state.selection, doc), repair: null });
    return doc;
  }

  /**
   * If a request was refused because of a change elsewhere, show the present state and say so.
   * @param {any} error
   */
  async function refused(error) {
    if (error.status !== 409) throw error;
    await read();
    notify(T.document.elsewhere, { kind: "bad" });
  }

  /**
   * Send an edit, undo or redo, and show the answer at once. `did` says in words what was done.
   * @param {string} verb
   * @param {object} body
   * @param {string} did
   */
  function change(verb, body, did) {
    return inTurn(async () => {
      const { doc } = store.state;
      if (doc.read_only) return null;
      if (verb in NOTHING_TO && !doc[/** @type {"undo" | "redo"} */ (verb)]) {
        say(NOTHING_TO[verb]);
        return null;
      }
      store.set({ unsent: { verb, body, did } });
      let answer;
      try {
        answer = await post(`${path}/${verb}`, { ...body, revision: doc.revision });
      } catch (caught) {
        const error = /** @type {any} */ (caught);
        if (error.status !== 0 && error.status !== 401) store.set({ unsent: null }); // it arrived and was refused
        await refused(error);
        return null;
      }
      /** @type {{new_conflicts: Conflict[], resolved_conflicts: Conflict[]}} */
      const { new_conflicts: fresh, resolved_conflicts: resolved } = answer;
      const redundant = answer.redundant.map(linkId);
      store.set({
        unsent: null,
        answer: {
          did,
          verdict: answer.verdict,
          fresh,
          resolved: resolved.length,
          redundant,
          added: answer.added ?? [],
        },
      });
      say(
        [T.edits.answer(did, answer.verdict, fresh.length, redundant, resolved.length), answer.unfinished]
          .filter(Boolean)
          .join(" "),
        answer.verdict,
      );
      await read();
      return answer;
    });
  }

  return {
    store,
    path,
    read: () => inTurn(read),
    /** @type {(source: string, label: string, target: string) => Promise<any>} */
    add: (source, label, target) =>
      change(
        "edit",
        { add: [{ source, label, target }] },
        T.edits.add(nameOf(store.state.doc, source), label, nameOf(store.state.doc, target)),
      ),
    /** @type {(link: string, label: string) => Promise<any>} */
    relabel: (link, label) => change("edit", { relabel: { [link]: label } }, T.edits.relabel(link, label)),
    /** @type {(links: string[]) => Promise<any>} */
    remove: (links) => change("edit", { remove: links }, T.edits.remove(links)),
    /** @type {(link: string, text: string) => Promise<any>} */
    comment: (link, text) => change("edit", { comment: { [link]: text } }, T.edits.comment(link)),
    /**
     * Give a time another value; null takes it away.
     * @param {string} id
     * @param {string | null} value
     */
    setValue: (id, value) => change("edit", { set_value: { [id]: value } }, T.edits.value(id, value)),
    /** @type {(unsent: Unsent) => Promise<any>} */
    again: ({ verb, body, did }) => change(verb, body, did),
    undo: () => change("undo", {}, T.edits.undo),
    redo: () => change("redo", {}, T.edits.redo),
    discard: () =>
      inTurn(async () => {
        try {
          await post(`${path}/discard`, { revision: store.state.doc?.revision });
        } catch (error) {
          await refused(error);
          return;
        }
        store.set({ answer: null });
        await read();
        say(T.document.discarded);
      }),
    /**
     * Remove one link of the proposed repair, and go on proposing the others.
     * @param {string} link
     */
    removeOfRepair: async (link) => {
      const rest = (store.state.repair ?? []).filter((each) => each.id !== link);
      if (
        (await change("edit", { remove: [link] }, T.edits.remove([link]))) &&
        store.state.doc.verdict === "inconsistent"
      )
        store.set({ repair: rest });
    },
    /**
     * Put the edits on top of the file as it is now; `revision`: of the document when its versions were compared.
     * @param {Record<number, string>} take
     * @param {number} revision
     */
    merge: (take, revision) =>
      inTurn(async () => {
        try {
          await post(`${path}/three-way`, { take, revision });
        } catch (error) {
          await refused(error);
          return false;
        }
        await read();
        return true;
      }),
    repair: () => inTurn(async () => store.set({ repair: (await get(`${path}/repair`)).repair })),
    /**
     * Save; `onchanged` is called when the file changed on disk.
     * @param {() => unknown} onchanged
     */
    save: (onchanged) =>
      inTurn(async () => {
        const { doc } = store.state;
        const hindrance = doc.read_only
          ? T.document.readOnly
          : doc.saves === "export"
            ? T.document.exportOnly(doc.why_export)
            : doc.unsaved
              ? null
              : T.document.nothingToSave;
        if (hindrance !== null) {
          say(hindrance);
          return;
        }
        try {
          const { path: target, backup } = await post(`${path}/save`);
          await read();
          say(T.document.saved(target, backup), "good");
        } catch (caught) {
          const error = /** @type {any} */ (caught);
          if (error.status === 409 && error.body.changed) onchanged();
          else throw error;
        }
      }),
  };
}

/**
 * Return the id of a link that is given as an object or by its id.
 * @param {Fact | string} link
 */
export function linkId(link) {
  return typeof link === "string" ? link : link.id;
}

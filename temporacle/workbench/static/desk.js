// The open document: reading it, editing it, saving it. Each request waits for the one before it.

import { documentPath, get, post } from "./api.js";
import { complain, notify, say } from "./frame.js";
import { conflictKey, nameOf, outline } from "./outline.js";
import { NOTHING, stillThere } from "./selection.js";
import { createStore } from "./store.js";
import { T } from "./texts.js";

const NOTHING_TO = { undo: T.document.nothingToUndo, redo: T.document.nothingToRedo };

export function openDesk(id) {
  const path = documentPath(id);
  // doc: as the server has it; answer: to the last edit; repair: proposed for this state of the document;
  // unsent: an edit that the server did not confirm; draft: a comment being written.
  const store = createStore({
    doc: null,
    selection: NOTHING,
    answer: null,
    repair: null,
    unsent: null,
    draft: null,
    busy: false,
  });
  let last = Promise.resolve();

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

  /** If a request was refused because of a change elsewhere, show the present state and say so. */
  async function refused(error) {
    if (error.status !== 409) throw error;
    await read();
    notify(T.document.elsewhere, { kind: "bad" });
  }

  /** Send an edit, undo or redo, and show the answer at once. `did` says in words what was done. */
  function change(verb, body, did) {
    return inTurn(async () => {
      const { doc } = store.state;
      if (doc.read_only) return null;
      if (verb in NOTHING_TO && !doc[verb]) {
        say(NOTHING_TO[verb]);
        return null;
      }
      store.set({ unsent: { verb, body, did } });
      let answer;
      try {
        answer = await post(`${path}/${verb}`, { ...body, revision: doc.revision });
      } catch (error) {
        if (error.status !== 0 && error.status !== 401) store.set({ unsent: null }); // it arrived and was refused
        await refused(error);
        return null;
      }
      const known = new Set(doc.conflicts.map(conflictKey));
      const fresh = answer.conflicts.filter((conflict) => !known.has(conflictKey(conflict)));
      const redundant = answer.redundant.map(linkId);
      store.set({
        unsent: null,
        answer: { did, verdict: answer.verdict, fresh, redundant, added: answer.added ?? [] },
      });
      say(
        [T.edits.answer(did, answer.verdict, fresh.length, redundant), answer.unfinished].filter(Boolean).join(" "),
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
    add: (source, label, target) =>
      change(
        "edit",
        { add: [{ source, label, target }] },
        T.edits.add(nameOf(store.state.doc, source), label, nameOf(store.state.doc, target)),
      ),
    relabel: (link, label) => change("edit", { relabel: { [link]: label } }, T.edits.relabel(link, label)),
    remove: (links) => change("edit", { remove: links }, T.edits.remove(links)),
    comment: (link, text) => change("edit", { comment: { [link]: text } }, T.edits.comment(link)),
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
    /** Remove one link of the proposed repair, and go on proposing the others. */
    removeOfRepair: async (link) => {
      const rest = store.state.repair.filter((each) => each.id !== link);
      if (
        (await change("edit", { remove: [link] }, T.edits.remove([link]))) &&
        store.state.doc.verdict === "inconsistent"
      )
        store.set({ repair: rest });
    },
    /** Put the edits on top of the file as it is now; `revision`: of the document when its versions were compared. */
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
    /** Save; `onchanged` is called when the file changed on disk. */
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
        } catch (error) {
          if (error.status === 409 && error.body.changed) onchanged();
          else throw error;
        }
      }),
  };
}

/** Return the id of a link that is given as an object or by its id. */
export function linkId(link) {
  return typeof link === "string" ? link : link.id;
}

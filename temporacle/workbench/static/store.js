// One place for what the page shows. Views watch the keys they draw.

/**
 * @template State
 * @typedef {object} Store
 * @property {State} state
 * @property {(patch: Partial<State>) => void} set
 * @property {(keys: (keyof State)[], react: (state: State) => void) => void} watch
 */

/**
 * @template {object} State
 * @param {State} initial
 * @returns {Store<State>}
 */
export function createStore(initial) {
  const state = { ...initial };
  /** @type {{keys: (keyof State)[], react: (state: State) => void}[]} */
  const watchers = [];
  return {
    state,
    set(patch) {
      const changed = /** @type {(keyof State)[]} */ (Object.keys(patch)).filter((key) => patch[key] !== state[key]);
      Object.assign(state, patch);
      for (const { keys, react } of watchers) if (keys.some((key) => changed.includes(key))) react(state);
    },
    /** Call `react` now and after every change of one of the keys. */
    watch(keys, react) {
      watchers.push({ keys, react });
      react(state);
    },
  };
}

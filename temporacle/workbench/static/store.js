// One place for what the page shows. Views watch the keys they draw.

export function createStore(initial) {
  const state = { ...initial };
  const watchers = [];
  return {
    state,
    set(patch) {
      const changed = Object.keys(patch).filter((key) => patch[key] !== state[key]);
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

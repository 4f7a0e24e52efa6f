// The module `electron` of a utility process, where almost nothing of it exists.
export const net = { fetch: globalThis.fetch };

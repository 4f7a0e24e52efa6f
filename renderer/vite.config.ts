// Plain data, so that this file pulls no Node types into the renderer's program. Whoever runs the build adds what it
// likes; JSX needs no plugin.

export default {
  /** Relative, so that the page works under any scheme and host that serves the folder. */
  base: './',
  build: {
    target: 'chrome146',
    // The page's policy allows no data: fonts, and a worker of its own has no reason to inline a picture either.
    assetsInlineLimit: 0,
    // Every chunk is loaded from disk; the polyfill would only add a script that has nothing to do.
    modulePreload: { polyfill: false },
    emptyOutDir: true,
  },
};

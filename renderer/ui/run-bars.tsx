const WIDTH = 128;
const HEIGHT = 44;
const MOST = 10;
const STEP = WIDTH / MOST;
const BAR = STEP - 2;

/** The last runs, oldest first: a failed one stands tall, one that went well is short. Plain, because it is there at once. */
export function RunBars({ runs }: { readonly runs: readonly boolean[] }) {
  const shown = runs.slice(-MOST);
  const missing = MOST - shown.length;
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {Array.from({ length: MOST }, (_, at) => {
        const [kind, height] = barOf(shown[at - missing]);
        return (
          <rect
            key={at}
            x={at * STEP + 1}
            y={HEIGHT - height}
            width={BAR}
            height={height}
            rx={1.5}
            className={kind}
          />
        );
      })}
    </svg>
  );
}

function barOf(ok: boolean | undefined): readonly [kind: string, height: number] {
  if (ok === undefined) return ['hf-tick-none', 3];
  return ok ? ['hf-tick-ok', HEIGHT * 0.45] : ['hf-tick-failed', HEIGHT];
}

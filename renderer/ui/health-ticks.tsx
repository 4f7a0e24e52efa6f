const MOST = 10;
const STEP = 6;

/** The last ten runs, oldest first. A failed run is a full bar, one that went well a short one: colour is no need. */
export function HealthTicks({ runs }: { readonly runs: readonly boolean[] }) {
  const shown = runs.slice(-MOST);
  const missing = MOST - shown.length;
  return (
    <svg
      className="hf-ticks"
      width={MOST * STEP}
      height="14"
      viewBox={`0 0 ${MOST * STEP} 14`}
      aria-hidden="true"
    >
      {Array.from({ length: MOST }, (_, at) => {
        const ok = shown[at - missing];
        const x = at * STEP + 1;
        if (ok === undefined)
          return <rect key={at} x={x} y="11" width="3.5" height="2" className="hf-tick-none" />;
        return ok ? (
          <rect key={at} x={x} y="7" width="3.5" height="6" rx="1" className="hf-tick-ok" />
        ) : (
          <rect key={at} x={x} y="1" width="3.5" height="12" rx="1" className="hf-tick-failed" />
        );
      })}
    </svg>
  );
}

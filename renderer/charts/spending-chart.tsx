import { Area, AreaChart, XAxis, YAxis } from 'recharts';

const ROOM = { inlineSize: '100%', blockSize: 56 } as const;

export interface SpendingStep {
  /** When it begins, in epoch milliseconds. */
  readonly at: number;
  readonly value: number;
}

/** What was spent in each half hour, oldest first, the last one still under way. */
export function SpendingChart({ steps }: { readonly steps: readonly SpendingStep[] }) {
  const last = steps.at(-1);
  // A step ends where the next begins; the last needs an end of its own.
  const ended = last === undefined ? [] : [...steps, { at: last.at + 1_800_000, value: last.value }];
  return (
    <AreaChart
      responsive
      style={ROOM}
      data={ended}
      margin={{ top: 6, right: 0, bottom: 4, left: 0 }}
      accessibilityLayer={false}
    >
      <XAxis dataKey="at" type="number" domain={['dataMin', 'dataMax']} hide />
      <YAxis domain={[0, (most: number) => most || 1]} hide />
      <Area
        dataKey="value"
        type="stepAfter"
        isAnimationActive={false}
        stroke="currentColor"
        fill="currentColor"
        fillOpacity={0.25}
        strokeWidth={1.5}
        dot={false}
      />
    </AreaChart>
  );
}

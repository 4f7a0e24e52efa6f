import { Bar, BarChart, XAxis, YAxis } from 'recharts';
import type { BarShapeProps } from 'recharts';

const WIDTH = 128;
const HEIGHT = 74;

const FAILED = 1;
const OK = 0.45;

/** The last runs, oldest first: a failed one stands tall, one that went well is short. */
export function HealthBars({ runs }: { readonly runs: readonly boolean[] }) {
  const data = Array.from({ length: 10 }, (_, at) => {
    const ok = runs[at - (10 - runs.length)];
    return { run: at + 1, height: ok === undefined ? 0.06 : ok ? OK : FAILED };
  });
  return (
    <BarChart
      width={WIDTH}
      height={HEIGHT}
      data={data}
      margin={{ top: 6, right: 0, bottom: 4, left: 0 }}
      barCategoryGap={2}
      accessibilityLayer={false}
    >
      <XAxis dataKey="run" hide />
      <YAxis domain={[0, 1]} hide />
      <Bar dataKey="height" isAnimationActive={false} shape={RunBar} />
    </BarChart>
  );
}

function RunBar({ x, y, width, height, value }: BarShapeProps) {
  const kind = value === FAILED ? 'hf-tick-failed' : value === OK ? 'hf-tick-ok' : 'hf-tick-none';
  return <rect x={x} y={y} width={width} height={height} rx={1.5} className={kind} />;
}

import { Bar, BarChart, PolarAngleAxis, RadialBar, RadialBarChart, XAxis, YAxis } from 'recharts';
import type { BarShapeProps } from 'recharts';

const WIDTH = 128;
const HEIGHT = 74;

/** The share of the day's runs that is used, as a ring. Only where there is a limit: without one there is no share. */
export function BudgetRing({ runs, most }: { readonly runs: number; readonly most: number }) {
  const full = runs >= most;
  return (
    <RadialBarChart
      width={WIDTH}
      height={HEIGHT}
      cx={WIDTH / 2}
      cy={HEIGHT - 10}
      innerRadius={46}
      outerRadius={60}
      startAngle={180}
      endAngle={0}
      data={[{ runs: Math.min(runs, most) }]}
      accessibilityLayer={false}
      className={full ? 'hf-ring hf-ring-full' : 'hf-ring'}
    >
      <PolarAngleAxis type="number" domain={[0, Math.max(most, 1)]} tick={false} axisLine={false} />
      <RadialBar
        dataKey="runs"
        cornerRadius={3}
        background={{ className: 'hf-ring-rest' }}
        className="hf-ring-used"
        isAnimationActive={false}
      />
    </RadialBarChart>
  );
}

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

import { Line, LineChart, ReferenceLine, XAxis, YAxis } from 'recharts';

const ROOM = { inlineSize: '100%', blockSize: 84 } as const;
/** Many are a line, and not dots. */
const FEW = 20;

export interface MissionPoint {
  readonly at: number;
  readonly confidence: number;
  /** Null leaves a gap: the judge did not say. */
  readonly progress: number | null;
}

interface Props {
  readonly points: readonly MissionPoint[];
  /** From which confidence on a verdict counts; null where that is not known. */
  readonly threshold: number | null;
}

/** Verdicts in their order: how sure the judge was, and how far it saw the mission. */
export function MissionLines({ points, threshold }: Props) {
  // One alone, beside such as do not say, is no line.
  const dot = points.length <= FEW ? { r: 2 } : false;
  return (
    <LineChart
      responsive
      style={ROOM}
      data={[...points]}
      margin={{ top: 6, right: 4, bottom: 4, left: 4 }}
      accessibilityLayer={false}
    >
      <XAxis dataKey="at" hide />
      <YAxis domain={[0, 1]} hide />
      <ReferenceLine y={0} className="hf-mission-base" />
      {threshold !== null && <ReferenceLine y={threshold} className="hf-mission-threshold" />}
      <Line dataKey="progress" dot={dot} isAnimationActive={false} className="hf-mission-progress" />
      <Line dataKey="confidence" dot={dot} isAnimationActive={false} className="hf-mission-confidence" />
    </LineChart>
  );
}

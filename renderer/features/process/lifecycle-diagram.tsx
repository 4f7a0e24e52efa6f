import { useMemo } from 'react';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { lookOf } from '../../ui/state-look.ts';
import { drawLifecycle, NODE, type LifecycleNode } from './lifecycle-layout.ts';

interface Props {
  readonly lifecycle: ProcessDetail['lifecycle'];
  readonly state: string;
  readonly live: boolean;
}

/** Every state, the present one lit, and where it may go from here. */
export function LifecycleDiagram({ lifecycle, state, live }: Props) {
  const drawing = useMemo(() => drawLifecycle(lifecycle), [lifecycle]);
  const { word, hue } = lookOf(state);
  const next = lifecycle.find((row) => row.state === state)?.to ?? [];
  const words = next.map((target) => lookOf(target).word).join(', ');
  const now = live ? `Now ${word}.` : `Last recorded: ${word}.`;
  const from = next.length === 0 ? 'The table leads nowhere from here.' : `From here: ${words}.`;
  // The lit lines are drawn last, over the others.
  const edges = drawing.edges.toSorted((a, b) => Number(a.from === state) - Number(b.from === state));
  return (
    <figure className="hf-lifecycle">
      <svg
        viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        role="img"
        aria-label={`Lifecycle. ${now} ${from}`}
        className={live ? '' : 'hf-not-live'}
      >
        {edges.map((edge) => (
          <g
            key={`${edge.from}>${edge.to}`}
            className={edge.from === state ? `hf-edge hf-edge-lit hf-hue-${hue}` : 'hf-edge'}
          >
            <path d={edge.path} />
            <polygon points={edge.head} />
          </g>
        ))}
        {drawing.nodes.map((node) => (
          <StateNode
            key={node.state}
            node={node}
            lit={node.state === state}
            reachable={next.includes(node.state)}
          />
        ))}
      </svg>
      <figcaption>
        {now} {from}
      </figcaption>
    </figure>
  );
}

interface NodeProps {
  readonly node: LifecycleNode;
  readonly lit: boolean;
  readonly reachable: boolean;
}

function StateNode({ node: { state, x, y }, lit, reachable }: NodeProps) {
  const { word, hue } = lookOf(state);
  const kind = lit ? `hf-node-lit hf-hue-${hue}` : reachable ? 'hf-node-next' : '';
  return (
    <g className={`hf-node ${kind}`} transform={`translate(${x - NODE.width / 2} ${y - NODE.height / 2})`}>
      <rect width={NODE.width} height={NODE.height} rx="6" />
      <text x={NODE.width / 2} y={NODE.height / 2 + 4} textAnchor="middle">
        {word}
      </text>
    </g>
  );
}

// Where the lifecycle's states stand, and how the lines between them run. Which states and lines there are is the
// host's word; here is only geometry.

export interface LifecycleNode {
  readonly state: string;
  readonly x: number;
  readonly y: number;
}

interface LifecycleEdge {
  readonly from: string;
  readonly to: string;
  /** An SVG path from box to box. */
  readonly path: string;
  /** The arrow's three corners. */
  readonly head: string;
}

export interface LifecycleDrawing {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly LifecycleNode[];
  readonly edges: readonly LifecycleEdge[];
}

export const NODE = { width: 82, height: 26 };
const WIDTH = 316;
const COLUMNS = [44, 154, 262] as const;
const FOREIGN_TOP = 204;
const ROW = 36;

/** At rest on the left, on the way in the middle, at work on the right. */
const PLACES: Readonly<Record<string, readonly [number, number]>> = {
  created: [COLUMNS[0], 18],
  stopped: [COLUMNS[0], 92],
  failed: [COLUMNS[0], 166],
  starting: [COLUMNS[1], 40],
  stopping: [COLUMNS[1], 122],
  running: [COLUMNS[2], 18],
  suspended: [COLUMNS[2], 92],
  awaiting: [COLUMNS[2], 166],
};

/** Lines that would run through a box are bent through this point. */
const BENDS: Readonly<Record<string, readonly [number, number]>> = {
  'running>awaiting': [340, 92],
  'awaiting>running': [340, 92],
  'suspended>failed': [158, 176],
};

export function drawLifecycle(
  table: readonly { readonly state: string; readonly to: readonly string[] }[],
): LifecycleDrawing {
  const foreign = table.filter(({ state }) => PLACES[state] === undefined);
  const nodes = table.map(({ state }): LifecycleNode => {
    const known = PLACES[state];
    if (known !== undefined) return { state, x: known[0], y: known[1] };
    const at = foreign.findIndex((other) => other.state === state);
    return { state, x: COLUMNS[at % 3]!, y: FOREIGN_TOP + Math.floor(at / 3) * ROW };
  });
  const byState = new Map(nodes.map((node) => [node.state, node]));
  const edges = table.flatMap(({ state, to }) =>
    to.flatMap((target) => {
      const start = byState.get(state);
      const end = byState.get(target);
      return start === undefined || end === undefined || start === end ? [] : [edgeOf(start, end)];
    }),
  );
  const rows = Math.ceil(foreign.length / 3);
  return { width: WIDTH, height: rows === 0 ? 184 : FOREIGN_TOP + rows * ROW - 18, nodes, edges };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function edgeOf(from: LifecycleNode, to: LifecycleNode): LifecycleEdge {
  const bend = BENDS[`${from.state}>${to.state}`];
  const middle: Point =
    bend === undefined ? { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 } : { x: bend[0], y: bend[1] };
  const start = border(from, middle);
  const tip = border(to, middle);
  const path = `M${text(start)}Q${text(middle)} ${text(tip)}`;
  return { from: from.state, to: to.state, path, head: arrow(middle, tip) };
}

/** Where the line from the box's middle towards `away` leaves the box. */
function border(box: Point, away: Point): Point {
  const dx = away.x - box.x;
  const dy = away.y - box.y;
  const scale = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : (NODE.width / 2 + 2) / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : (NODE.height / 2 + 2) / Math.abs(dy),
  );
  return { x: box.x + dx * scale, y: box.y + dy * scale };
}

function arrow(from: Point, tip: Point): string {
  const length = Math.hypot(tip.x - from.x, tip.y - from.y) || 1;
  const ux = (tip.x - from.x) / length;
  const uy = (tip.y - from.y) / length;
  const back = { x: tip.x - ux * 7, y: tip.y - uy * 7 };
  const left = { x: back.x - uy * 3.5, y: back.y + ux * 3.5 };
  const right = { x: back.x + uy * 3.5, y: back.y - ux * 3.5 };
  return `${text(tip)} ${text(left)} ${text(right)}`;
}

const text = ({ x, y }: Point): string => `${x.toFixed(1)},${y.toFixed(1)}`;

/** Why a process is suspended. Suspension is the set of these; running needs the set to be empty [S34]. */
export const HOLD_KINDS = [
  'operator',
  'in_doubt',
  'budget',
  'health',
  'mission',
  'idle',
  'quit',
  'gap',
  'trust',
] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

export interface Hold {
  readonly kind: HoldKind;
  readonly reason: string;
  readonly actor: string;
  readonly since: string;
}

export function isHoldKind(text: string): text is HoldKind {
  return (HOLD_KINDS as readonly string[]).includes(text);
}

/**
 * Whether invocations already under way stop at their next effect. A doubt holds only what has not begun: the others finish
 * [S34]. So does a budget: what fits is done, and what does not waits for more. And so does a mission that is over.
 */
export function stopsEffects(holds: readonly Hold[]): boolean {
  return holds.some(({ kind }) => kind !== 'in_doubt' && kind !== 'budget' && kind !== 'mission');
}

/** What an operator's resume or start lifts; the others have ways of their own. */
export const OPERATORS_HOLDS = ['operator', 'health', 'idle', 'quit', 'gap', 'mission'] as const;

export function isOperators(kind: HoldKind): boolean {
  return (OPERATORS_HOLDS as readonly HoldKind[]).includes(kind);
}

/**
 * The holds that lift by themselves when the host starts [S34]: its own, and that of a doubt which was decided right before
 * a crash.
 */
export function liftsAtStart(kind: HoldKind, isDoubtOver: boolean): boolean {
  return kind === 'quit' || (kind === 'in_doubt' && isDoubtOver);
}

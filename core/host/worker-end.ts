// How a worker came to its end, for a person. Which of several reasons counts is decided here and nowhere else.

/** How far a worker that was asked to end had to be pushed. */
export type EndStage = 'none' | 'asked' | 'terminated' | 'killed';

export interface EndFacts {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stage: EndStage;
  /** Why the host killed it outright; null when it did not. */
  readonly killedFor: string | null;
  readonly lastOutput: string;
  readonly stopDeadlineMs: number;
  readonly memoryMb: number | null;
  readonly isUndead: boolean;
}

const OUT_OF_HEAP = /heap out of memory|Allocation failed - process out of memory/;

/** What follows the worker's name in a sentence. */
export function describeEnd(facts: EndFacts): string {
  const how = howItEnded(facts);
  return facts.isUndead
    ? `${how}; it or something it started is still there, and hangs in the system, probably on a disk or a network drive`
    : how;
}

function howItEnded(facts: EndFacts): string {
  const { code, signal, stage, killedFor, lastOutput, stopDeadlineMs, memoryMb } = facts;
  if (killedFor !== null) return killedFor;
  if (isOutOfHeap(facts)) {
    return memoryMb === null
      ? `memory: the JavaScript heap is full${lastLine(lastOutput)}`
      : `memory: the JavaScript heap has reached ${memoryMb} MB`;
  }
  if (stage === 'killed')
    return `ended by SIGKILL: ${seconds(stopDeadlineMs)} after it was asked it was still there`;
  if (stage === 'terminated')
    return `ended by SIGTERM: ${seconds(stopDeadlineMs / 2)} after it was asked it was still there`;
  if (stage === 'asked' && code === 0) return 'ended when asked';
  const by = signal === null ? `exited with code ${code ?? '?'}` : `was ended by ${signal}`;
  return `${by}${lastLine(lastOutput)}`;
}

function isOutOfHeap({ code, lastOutput }: EndFacts): boolean {
  return code !== 0 && OUT_OF_HEAP.test(lastOutput);
}

function lastLine(output: string): string {
  const last = output.trim().split('\n').at(-1) ?? '';
  return last === '' ? '' : `: ${last.slice(0, 200)}`;
}

function seconds(ms: number): string {
  return `${ms / 1_000} s`;
}

import type { Machine } from './machine.ts';

export interface Action {
  readonly name: string;
  /** Whether it is how things go by themselves, or when people do what is asked of them; else it is an accident. */
  readonly isProgress: boolean;
  readonly act: (machine: Machine) => void;
}

export type Add = (name: string, act: Action['act']) => void;

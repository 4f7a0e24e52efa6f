import type { DetectorView } from '../../core/contract/health-views.ts';

type Type = DetectorView['type'];

const NAMES: Readonly<Record<Type, string>> = {
  stuck: 'Stuck',
  loop: 'Loop',
  empty_response: 'Empty replies',
  high_error_rate: 'Failing runs',
  silent: 'Silent',
  slow: 'Slow',
};

/** As a heading has it. */
export function anomalyName(type: Type): string {
  return NAMES[type];
}

/** In a line of a table: "stuck, loop". */
export function anomalyWords(types: readonly Type[]): string {
  return types.map((type) => NAMES[type].toLowerCase()).join(', ');
}

/** Why somebody interrupts a process, most often. */
export const ACTION_REASONS: readonly string[] = [
  'No progress',
  'Wrong results',
  'Maintenance',
  'Asked to by its owner',
];

import type { FilterId } from '../../stores/arrange.ts';

/** How loud a count is: none at zero, and only what went wrong or waits for a person has a colour. */
export function countTone(id: FilterId, count: number): string {
  if (count === 0) return 'hf-count-none';
  if (id === 'failed' || id === 'failing' || id === 'unwell') return 'hf-count-alarm';
  return id === 'doubt' ? 'hf-count-attention' : '';
}

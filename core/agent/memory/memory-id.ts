import { createHash } from 'node:crypto';

/** Of the record that whoever has this key writes: the same however often that is begun. */
export function memoryId(key: string): string {
  return `mem_${createHash('sha256').update(key).digest('hex').slice(0, 24)}`;
}

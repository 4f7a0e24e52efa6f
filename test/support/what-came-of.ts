import type { Json } from '../../core/model/json.ts';

/** What came of a call of a tool server's, as whoever was asked to do it has it; null for nothing. */
export async function whatCameOf(url: string, key: string): Promise<Json> {
  const response = await fetch(`${url}/happened`, { method: 'POST', body: JSON.stringify({ key }) });
  return (await response.json()) as Json;
}

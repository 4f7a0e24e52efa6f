/** Of a signal or a query, as the host takes them. */
export const MOST_NAME = 200;

/** What is to be done before it can be sent, or null. */
export function nameProblem(what: string, name: string): string | null {
  return name.trim() === '' ? `Enter the name of the ${what} first.` : null;
}

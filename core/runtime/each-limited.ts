/** Does it for each, in their order, at most so many at a time. Rejects with the first failure, once the others under way are over. */
export async function eachLimited<T>(
  items: Iterable<T>,
  most: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const some = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await act(next.value);
  };
  const ended = await Promise.allSettled(Array.from({ length: most }, some));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

/** Resolves when the user or the system asks the program to end. */
export function interrupted(): Promise<void> {
  // Following holds nothing open that would keep the program alive.
  const alive = setInterval(() => {}, 2 ** 30);
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  return asked.finally(() => clearInterval(alive));
}

/** As a heading has it: "Effects in a day". */
export function limitName(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

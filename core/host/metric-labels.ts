/** In characters. A name of a process may have thousands. */
const MAX_LABEL = 120;

/**
 * What processes are called where they are measured: bounded, one line each, and no two alike. Of names that would be alike
 * the later ones end in their place among all.
 */
export function processLabels(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name, at) => {
    // Half a character at the cut is none.
    const plain = name
      .slice(0, MAX_LABEL)
      .toWellFormed()
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}');
    const label = plain === '' || taken.has(plain) ? `${plain}~${at + 1}` : plain;
    taken.add(label);
    return label;
  });
}

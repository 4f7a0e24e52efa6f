/** `workspace`: a cap on its processes together. `all`: on those of all workspaces of this user. */
export const CAP_NAMES = ['workspace', 'all'] as const;
export type CapName = (typeof CAP_NAMES)[number];

export function isCapName(text: string): text is CapName {
  return (CAP_NAMES as readonly string[]).includes(text);
}

/** For a person: whose use it counts. */
export const CAP_WORDS: Readonly<Record<CapName, string>> = {
  workspace: 'all processes of this workspace together',
  all: 'all workspaces of this user together',
};

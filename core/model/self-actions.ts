// What an agent in open mode may ask of its host, about itself.

export const SELF_ACTIONS = [
  'modify_instructions',
  'add_trigger',
  'remove_trigger',
  'connect_mcp_server',
  'disconnect_mcp_server',
  'spawn_process',
  'undo_change',
  'list_processes',
  'list_capabilities',
  'get_secret',
  'check_budget',
  'check_mission',
] as const;
export type SelfAction = (typeof SELF_ACTIONS)[number];

export function isSelfAction(text: string): text is SelfAction {
  return (SELF_ACTIONS as readonly string[]).includes(text);
}

/** `isRefused`: it was looked at and not done, and the agent may read why; otherwise nobody can say how it ended. */
export type HostAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly isRefused: boolean; readonly code: string; readonly message: string };

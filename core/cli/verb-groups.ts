// Which verbs belong together, for whoever reads the help: by what somebody has in mind who looks for one.

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Agents and their manifests:': ['init', 'validate', 'run', 'changes', 'reload'],
  'Looking:': ['status', 'show', 'tail', 'costs', 'logs', 'metrics'],
  'What waits for you:': ['waiting', 'approve', 'reject', 'answer', 'resolve', 'resolve-promise'],
  'Talking to an agent:': ['ask', 'write', 'inbox', 'trigger', 'signal', 'query'],
  'Running a process:': ['start', 'stop', 'suspend', 'resume', 'restart', 'kill', 'set', 'rewind', 'fork'],
  'Events and triggers:': [
    'triggers',
    'fire',
    'pause-trigger',
    'resume-trigger',
    'add-trigger',
    'remove-trigger',
    'hold-triggers',
    'release-triggers',
    'deadletters',
    'redeliver',
    'drop',
  ],
  'Tools, memory, secrets and open mode:': [
    'tools',
    'tool',
    'memory',
    'secrets',
    'rotate-secret',
    'revoke-secret',
    'undo-changes',
  ],
  'Budget, mission and health:': ['extend', 'mission', 'clear', 'escalations', 'escalate'],
  'Journals:': ['recover', 'replay-check', 'verify', 'repair', 'adopt'],
};

/** The heading that it stands under. */
export function groupOf(verb: string): string {
  return Object.keys(GROUPS).find((heading) => GROUPS[heading]!.includes(verb)) ?? 'Others:';
}

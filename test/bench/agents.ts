import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A workspace of `count` agents that share one module; `source` is the body of its onTrigger(ctx, event). */
export function writeAgents(workspace: string, count: number, source: string, more = ''): readonly string[] {
  mkdirSync(workspace, { recursive: true });
  writeFileSync(
    join(workspace, 'agent.ts'),
    `import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from 'holdfast';
export default defineAgent({ async onTrigger(ctx, event) { ${source} } });
`,
  );
  const names = Array.from({ length: count }, (_, n) => `agent-${String(n).padStart(4, '0')}`);
  for (const name of names) {
    writeFileSync(join(workspace, `${name}.agent`), `name: ${name}\nentrypoint: ./agent.ts\n${more}`);
  }
  return names;
}

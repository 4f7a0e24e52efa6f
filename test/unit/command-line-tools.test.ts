// The verbs for tools: what they ask of the host, and how its answer reads.

import { expect, test } from 'vitest';
import { TOOL_VERBS } from '../../core/cli/tool-verbs.ts';
import type { ToolsView } from '../../core/contract/tools-view.ts';
import { toolOf, toolsOf } from '../renderer/fixtures.ts';

const verb = (name: string) => TOOL_VERBS.find(({ usage }) => usage.startsWith(`${name} `))!;
const asked = (given: Record<string, unknown>, name = 'write_file') =>
  verb('tool').more!(['clerk', name], given);
const lines = (view: ToolsView): readonly string[] => verb('tools').says!(view);

test('[P7] what is said of a tool is a setting beside the manifest, also of one with a dot in its name', () => {
  expect(asked({ disable: true })).toEqual({
    set: { 'holdfast.tools.write_file.disabled': 'true' },
    undo: [],
  });
  expect(asked({ enable: true, class: 'retry' }, 'a.b')).toEqual({
    set: { 'holdfast.tools.a\\.b.disabled': 'false', 'holdfast.tools.a\\.b.class': '"retry"' },
    undo: [],
  });
  expect(asked({ asManifest: true })).toEqual({ set: {}, undo: ['holdfast.tools.write_file.class'] });
});

test.each([{}, { disable: true, enable: true }, { class: 'ask', asManifest: true }])(
  'what says nothing, or two things at once, is refused: %j',
  (given) => {
    expect(() => asked(given)).toThrow(/Say/);
  },
);

test('[P5] servers are told as they are or were last seen, and tools with who decided what', () => {
  const told = lines(toolsOf());
  expect(told[0]).toBe(
    'files (node package:@modelcontextprotocol/server-filesystem), trusted · connected · 2 tools',
  );
  expect(told[1]).toMatch(
    /^shop \(https:\/\/tools\.example\) · down: it ended with code 1; .* · not tried again before 2026-/,
  );
  expect(told[2]).toMatch(/^notes .* · connected, as last seen 2026-11-29T09:00/);
  expect(told[3]).toMatch(/^new .* · not seen yet$/);
  expect(told[5]).toMatch(/^ {2}read_text_file {2}retry {7}mcp:files {4}said by its trusted server$/);
  expect(told[9]).toMatch(/^ {2}delete_all {6}disabled {4}not offered {2}said by an operator$/);
  expect(told.at(-1)).toMatch(/^! charge_card of shop says something else/);
  expect(lines(toolsOf({ isModelAgent: false }))).toEqual([
    'Its code brings its own tools; none are listed here.',
  ]);
});

test('[P5] before anybody has looked, nothing is said of what there is', () => {
  const [server] = toolsOf().servers;
  const told = lines(
    toolsOf({
      listedAt: null,
      servers: [{ ...server!, at: null, isNow: false, toolCount: 0 }],
      tools: [toolOf({ source: '', isOffered: false, decidedBy: 'default' })],
    }),
  );
  expect(told[0]).toMatch(/ · not seen yet$/);
  expect(told[2]).toMatch(/not looked for yet {2}nobody said otherwise$/);
});

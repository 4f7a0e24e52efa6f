// @vitest-environment jsdom
// Manifests in the console: what is not in force, and texts that are edited.

import { act, fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { ManifestChangeView } from '../../core/contract/manifest-views.ts';
import { placeInText, rangeOfLine } from '../../renderer/features/manifests/place-in-text.ts';
import { helpFor } from '../../renderer/features/manifests/schema-help.ts';
import { hashOf, placeOf, type Place } from '../../renderer/stores/place.ts';
import { fleetOf, journalOf, rowOf } from './fixtures.ts';
import { memoryHost, ok, refused, type MemoryHost } from './memory-client.ts';
import { dialog, enter, pressed } from './process-page.ts';
import { settle, show } from './render.tsx';

const HASH = 'a'.repeat(64);
const TEXT = 'name: clerk\nentrypoint: ./clerk.ts\n';

const changeOf = (over: Partial<ManifestChangeView> = {}): ManifestChangeView => ({
  id: 'c1',
  file: 'clerk.agent',
  process: 'clerk',
  kind: 'changed',
  lines: [{ path: 'config.concurrency', fromText: '1', toText: '2', acts: 'at_once' }],
  lineCount: 1,
  problems: [],
  notes: ['clerk alone is restarted, from its journal; queue, timers and promises stay.'],
  ...over,
});

function host(changes: readonly ManifestChangeView[]): MemoryHost {
  const made = memoryHost();
  const pending = changes.filter(({ kind }) => kind !== 'faulty').length;
  const manifests = { stamp: 's', pending, faulty: changes.length - pending };
  made.answer('fleet.read', () =>
    ok(fleetOf([rowOf({ name: 'clerk' })], { journals: [journalOf({ manifests })] })),
  );
  made.answer('workspace.changes', () => ok({ changes: [...changes], count: changes.length }));
  made.answer('manifests.schema', () =>
    ok({
      schemaText: '{}',
      templates: [{ name: 'basic', title: 'Basic', text: 'name: my-agent\nentrypoint: ./a.ts\n' }],
    }),
  );
  made.answer('manifests.read', ({ of }) =>
    ok({
      file: 'file' in of ? of.file : 'clerk.agent',
      process: 'clerk',
      text: TEXT,
      hash: HASH,
      isInForce: true,
    }),
  );
  made.answer('manifests.plan', ({ text, file }) =>
    ok({
      process: 'clerk',
      hash: file === 'clerk.agent' ? HASH : null,
      problems: text.includes('bad') ? [{ path: 'bad', line: 3, message: '"bad" is not a setting' }] : [],
      remarks: text.includes('bad')
        ? []
        : [{ path: 'servers.a.args.1', line: 2, message: 'it looks like a secret' }],
      lines: [],
      lineCount: 0,
      change: text === TEXT || text.includes('bad') ? null : changeOf(),
    }),
  );
  return made;
}

const field = (): HTMLTextAreaElement =>
  screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Manifest' });

describe('what is not in force', () => {
  test('every view says how many there are, and leads to them', async () => {
    await show(host([changeOf(), changeOf({ id: 'c2', kind: 'faulty', process: null, file: 'x.agent' })]));
    const banner = screen.getByRole('region', { name: 'Manifests changed on disk' });
    expect(banner.textContent).toContain("1 manifest changed on disk, and 1 more can't be used.");
    const link = within(banner).getByRole('link', { name: 'Review' });
    expect(link.getAttribute('href')).toBe('#/manifests/j-demo');
  });

  test('where all are, nothing is said', async () => {
    await show(host([]));
    expect(screen.queryByRole('region', { name: 'Manifests changed on disk' })).toBeNull();
  });

  test('[P7] a change is put in force as it was seen, with a reason; asked again it is the same command', async () => {
    const made = host([changeOf()]);
    const answers = [
      refused({ code: 'reload.changed-since', message: 'It was changed again.' }),
      ok({
        done: [
          { file: 'clerk.agent', process: 'clerk', kind: 'changed' as const, ok: true, message: 'Done.' },
        ],
        message: 'Done.',
      }),
    ];
    made.answer('workspace.reload', () => answers.shift()!);
    await show(made, '#/manifests/j-demo');
    expect(screen.getByRole('table').textContent).toContain('config.concurrency12At once');
    await pressed('Apply…: clerk');
    expect(document.activeElement?.textContent).toBe('Cancel');
    enter('Reason', 'more of them');
    await pressed('Apply the changes of clerk', dialog());
    expect(dialog().getByRole('alert').textContent).toContain('It was changed again.');
    await pressed('Apply the changes of clerk', dialog());
    expect(screen.queryByRole('alertdialog')).toBeNull();
    expect(made.askedFor('workspace.reload')[1]).toMatchObject({
      journalId: 'j-demo',
      reason: 'more of them',
      changes: [{ of: 'clerk', id: 'c1' }],
      isRemoving: false,
    });
  });

  test('what is gone is removed only when that is asked for, and what is faulty can only be edited', async () => {
    const made = host([
      changeOf({ kind: 'removed', lines: [], lineCount: 0 }),
      changeOf({ id: 'c2', kind: 'faulty', process: null, file: 'x.agent' }),
    ]);
    await show(made, '#/manifests/j-demo');
    expect(screen.queryByRole('button', { name: /Apply/ })).toBeNull();
    expect(screen.getByRole('link', { name: 'Edit x.agent' }).getAttribute('href')).toBe(
      '#/manifests/j-demo/x.agent',
    );
    await pressed('Remove…: clerk');
    enter('Reason', 'over');
    await pressed('Remove clerk', dialog());
    expect(made.askedFor('workspace.reload')[0]).toMatchObject({ isRemoving: true });
  });
});

describe('a text', () => {
  const typed = async (console: Awaited<ReturnType<typeof show>>, text: string): Promise<void> => {
    fireEvent.change(field(), { target: { value: text } });
    await settle();
    await act(async () => console.testClock.advance(400));
    await settle();
  };

  test('what is worth knowing of one that can be used stands below it, and leads to its line', async () => {
    const console = await show(host([]), '#/manifests/j-demo/clerk.agent');
    await typed(console, `${TEXT}# more\n`);
    const notes = screen.getByRole('list', { name: 'Notes' });
    expect(notes.textContent).toContain('it looks like a secret');
    fireEvent.click(within(notes).getByRole('button', { name: 'Line 2' }));
    expect(field().selectionStart).toBe(TEXT.indexOf('\n') + 1);
    await typed(console, `${TEXT}bad: 1\n`);
    expect(screen.queryByRole('list', { name: 'Notes' })).toBeNull();
  });

  test('is looked at once nothing more is typed; a problem leads to its line, and nothing faulty is saved', async () => {
    const console = await show(host([]), '#/manifests/j-demo/clerk.agent');
    await typed(console, `${TEXT}bad: 1\n`);
    expect(screen.getByText('1 problem: it can’t be saved.')).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save…' }).disabled).toBe(true);
    await pressed('Line 3');
    expect(document.activeElement).toBe(field());
    const { selectionStart, selectionEnd, value } = field();
    expect(value.slice(selectionStart, selectionEnd)).toBe('bad: 1');
  });

  test('[P7] is saved with the hash of what it was made from, and put in force where that is asked for', async () => {
    const made = host([]);
    made.answer('manifests.write', ({ file }) => ok({ file, hash: HASH, message: 'Saved.', reload: null }));
    const console = await show(made, '#/manifests/j-demo/clerk.agent');
    await typed(console, `${TEXT}config: { concurrency: 2 }\n`);
    await pressed('Save and apply…');
    expect(dialog().getByText(/clerk alone is restarted/)).toBeTruthy();
    enter('Reason', 'more');
    await pressed('Save and apply clerk.agent', dialog());
    expect(made.askedFor('manifests.write')).toMatchObject([
      { file: 'clerk.agent', expected: HASH, isApplied: true, reason: 'more' },
    ]);
  });

  test('that is not saved is still there when somebody comes back to it', async () => {
    const console = await show(host([]), '#/manifests/j-demo/clerk.agent');
    await typed(console, `${TEXT}# mine\n`);
    await act(async () => console.place.go({ view: 'fleet' }));
    await act(async () => console.place.go({ view: 'manifests', journalId: 'j-demo', file: 'clerk.agent' }));
    await settle();
    expect(field().value).toContain('# mine');
    await pressed('Discard and read again');
    expect(field().value).toBe(TEXT);
  });

  test('that holds a secret is not shown, and it is said why', async () => {
    const made = host([]);
    made.answer('manifests.read', () =>
      refused({ code: 'manifest.holds-secret', message: 'It has a secret itself, at secrets.secrets.KEY.' }),
    );
    await show(made, '#/manifests/j-demo/clerk.agent');
    expect(screen.getByRole('alert').textContent).toContain('secrets.secrets.KEY');
    expect(screen.queryByRole('textbox', { name: 'Manifest' })).toBeNull();
  });

  test('a new agent begins with a template, and its file is called like it', async () => {
    const made = host([]);
    made.answer('manifests.write', ({ file }) => ok({ file, hash: HASH, message: 'Saved.', reload: null }));
    const console = await show(made, '#/manifests/j-demo/new');
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'night clerk' } });
    expect(field().value).toBe('name: night clerk\nentrypoint: ./a.ts\n');
    await act(async () => console.testClock.advance(400));
    await settle();
    await pressed('Save and apply…');
    enter('Reason', 'wanted');
    await pressed('Save and apply night-clerk.agent', dialog());
    expect(made.askedFor('manifests.write')).toMatchObject([{ file: 'night-clerk.agent', expected: null }]);
  });

  test('an agent is removed when its name is typed', async () => {
    const made = host([]);
    made.answer('manifests.remove', ({ file }) => ok({ file, hash: null, message: 'Gone.', reload: null }));
    const console = await show(made, '#/manifests/j-demo/clerk.agent');
    await pressed('Remove agent…');
    enter('Reason', 'over');
    enter('Name', 'clark');
    const confirm = dialog().getByRole<HTMLButtonElement>('button', { name: 'Remove clerk' });
    expect(confirm.disabled).toBe(true);
    enter('Name', 'clerk');
    await pressed('Remove clerk', dialog());
    expect(made.askedFor('manifests.remove')).toMatchObject([
      { typed: 'clerk', expected: HASH, isApplied: true },
    ]);
    expect(console.place.store.getState().place).toEqual({ view: 'manifests', journalId: 'j-demo' });
  });
});

describe('where the cursor is', () => {
  const MANIFEST = `# a word
name: clerk
triggers:
  - type: manual
  - type: cron
    cron_expression: '0 9 * * *'

budget:
  holdfast:
    warn_at: 0.5
`;
  test.each([
    ['name: cl', 'name'],
    ['manual', 'triggers.0.type'],
    ['- type: cron', 'triggers.1.type'],
    ['cron_expression', 'triggers.1.cron_expression'],
    ['budget:', 'budget'],
    ['warn_at', 'budget.holdfast.warn_at'],
    ['# a word', ''],
  ])('at %j it is %s', (text, path) => {
    expect(placeInText(MANIFEST, MANIFEST.indexOf(text)).join('.')).toBe(path);
  });

  test('a line has its range, and one behind the end has the last', () => {
    expect(rangeOfLine('a\nbc\nd', 2)).toEqual([2, 4]);
    expect(rangeOfLine('a\nbc', 9)).toEqual([2, 4]);
  });

  test('help is found through alternatives and references, and says what is known', () => {
    const schema = {
      type: 'object',
      $defs: { Level: { enum: ['none', 'full'], default: 'full', description: 'How much is kept.' } },
      properties: {
        journal: { type: 'object', required: ['level'], properties: { level: { $ref: '#/$defs/Level' } } },
        triggers: {
          type: 'array',
          items: {
            anyOf: [{ properties: { a: { type: 'integer', minimum: 1 } } }, { properties: { b: {} } }],
          },
        },
      },
    };
    expect(helpFor(schema, ['journal', 'level'])).toMatchObject({
      description: 'How much is kept.',
      allowed: ['"none"', '"full"'],
      fallback: '"full"',
    });
    expect(helpFor(schema, ['journal'])?.keys).toEqual([
      { name: 'level', isNeeded: true, description: 'How much is kept.' },
    ]);
    expect(helpFor(schema, ['triggers', '3'])?.keys.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(helpFor(schema, ['triggers', '3', 'a'])).toMatchObject({
      type: 'whole number',
      limits: 'at least 1',
    });
    expect(helpFor(schema, ['nothing'])).toBeNull();
  });

  test.each<Place>([
    { view: 'manifests', journalId: 'j-1' },
    { view: 'manifests', journalId: 'j-1', file: null },
    { view: 'manifests', journalId: 'j 1', file: 'a b.agent' },
  ])('%j has an address', (place) => {
    expect(placeOf(hashOf(place))).toEqual(place);
  });
});

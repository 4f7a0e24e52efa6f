// The loop of a model agent, in a real worker, beside a model that speaks real wire formats and tools over HTTP.

import { describe, expect, it } from 'vitest';
import { effectsIn, KEYS, toolServer, turnBench, turnOf, wireModel } from '../support/turns.ts';
import { call, steps } from '../support/wire-model.ts';
import type { WireForm } from '../support/wire-forms.ts';

const FORMS: readonly WireForm[] = ['chat', 'responses', 'messages'];

describe('a turn', () => {
  it.each(FORMS)(
    'asks, calls tools side by side and answers in %s; every call is an effect [P2]',
    async (form) => {
      const tools = await toolServer({ look: () => 'it is warm', count: () => '3' });
      const model = await wireModel(
        steps(
          {
            text: 'I look.',
            calls: [call('c1', 'look', { at: 'north' }), call('c2', 'count', { of: 'birds' })],
          },
          { text: 'Warm, with three birds.' },
        ),
      );
      const b = await turnBench({
        models: [model.name(form)],
        server: tools,
        tools: { look: { class: 'retry' }, count: { class: 'ask' } },
        config: { instructions: 'You watch the weather.', ...KEYS },
      });
      expect(await turnOf(b, 'how is it?')).toBe('Warm, with three birds.');
      expect(tools.done.map(({ tool, args }) => [tool, args])).toEqual(
        expect.arrayContaining([
          ['look', { at: 'north' }],
          ['count', { of: 'birds' }],
        ]),
      );
      expect(model.asked).toHaveLength(2);
      const [first, second] = model.asked;
      expect(first!.question.system).toContain('You watch the weather.');
      expect(first!.question.tools).toEqual(['look', 'count']);
      expect(second!.question.turns.slice(-3)).toEqual([
        {
          role: 'assistant',
          text: 'I look.',
          calls: [call('c1', 'look', { at: 'north' }), call('c2', 'count', { of: 'birds' })],
        },
        { role: 'tool', id: 'c1', text: 'it is warm' },
        { role: 'tool', id: 'c2', text: '3' },
      ]);
      expect(effectsIn(await b.entries())).toEqual([
        'model#0 begins',
        'model#0 done',
        'look#0 begins',
        'count#0 begins',
        expect.stringMatching(/^(look|count)#0 done$/),
        expect.stringMatching(/^(look|count)#0 done$/),
        'model#1 begins',
        'model#1 done',
      ]);
      expect(b.process.snapshot.conversation.map(({ role }) => role)).toEqual(['user', 'assistant']);
    },
  );
});

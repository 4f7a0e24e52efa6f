import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isProvider,
  modelNameText,
  parseModelName,
  PROVIDERS,
  type ModelName,
} from '../../core/agent/models/model-name.ts';
import { AppError } from '../../core/model/errors.ts';
import { anyText } from '../support/json-arbitraries.ts';

function readOrRefused(text: string): ModelName | AppError {
  try {
    return parseModelName(text);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function refusal(text: string): AppError {
  const found = readOrRefused(text);
  if (found instanceof AppError) return found;
  throw new Error(`${text} was taken`);
}

describe("a model's name", () => {
  it.each<[string, ModelName]>([
    ['openai:gpt-5-mini', { provider: 'openai', model: 'gpt-5-mini', baseUrl: null }],
    ['anthropic:claude-sonnet-5', { provider: 'anthropic', model: 'claude-sonnet-5', baseUrl: null }],
    ['google:gemini-3-flash', { provider: 'google', model: 'gemini-3-flash', baseUrl: null }],
    [
      'openai-compatible:llama3.2:8b@http://localhost:11434/v1/',
      { provider: 'openai-compatible', model: 'llama3.2:8b', baseUrl: 'http://localhost:11434/v1' },
    ],
    [
      'openai-compatible:org/model@2024@HTTPS://Example.com',
      { provider: 'openai-compatible', model: 'org/model@2024', baseUrl: 'https://example.com' },
    ],
    [
      'mistral:small@https://proxy.example.com/mistral/v1',
      { provider: 'mistral', model: 'small', baseUrl: 'https://proxy.example.com/mistral/v1' },
    ],
    ['scripted:demo/my answers.yaml', { provider: 'scripted', path: 'demo/my answers.yaml' }],
  ])('%s is read', (text, name) => {
    expect(parseModelName(text)).toEqual(name);
  });

  it.each([
    ['gpt-5-mini', 'model.bad-name'],
    ['', 'model.bad-name'],
    ['openai:', 'model.bad-name'],
    ['openai:gpt 5', 'model.bad-name'],
    ['openai:gpt\n5', 'model.bad-name'],
    ['openai:@https://example.com', 'model.bad-name'],
    ['scripted: ', 'model.bad-name'],
    [`openai:${'x'.repeat(2_000)}`, 'model.bad-name'],
    ['ollama:llama3.2', 'model.unknown-provider'],
    ['OpenAI:gpt-5', 'model.unknown-provider'],
    ['__proto__:x', 'model.unknown-provider'],
    ['openai-compatible:llama3.2', 'model.bad-address'],
    ['openai-compatible:m@http://', 'model.bad-address'],
    ['openai-compatible:m@https://example.com/v1?key=1', 'model.bad-address'],
    ['openai-compatible:m@https://example.com/v1#', 'model.bad-address'],
  ])('%j is refused as %s, with what there is', (text, code) => {
    const error = refusal(text);
    expect(error.code).toBe(code);
    expect(error.message.length).toBeLessThan(600);
    const unnamed = PROVIDERS.filter((provider) => !error.message.includes(provider));
    expect(code === 'model.bad-address' ? [] : unnamed).toEqual([]);
  });

  it('does not show a password that stands in an address', () => {
    const error = refusal('openai-compatible:m@https://user:pa55word@example.com/v1');
    expect(error.code).toBe('model.bad-address');
    expect(JSON.stringify([error.message, error.detail])).not.toContain('pa55word');
  });

  it('is either read, and read the same from its own text, or refused in words, whatever it is', () => {
    const text = fc.oneof(
      anyText,
      fc
        .tuple(
          fc.oneof(fc.constantFrom<string>(...PROVIDERS), anyText),
          fc.oneof(anyText, fc.constantFrom('gpt-5', 'a:b', 'a@b', 'x@http', 'x@http:', 'x@https:/')),
          fc.oneof(
            fc.constant(''),
            fc.webUrl().map((url) => `@${url}`),
            anyText.map((rest) => `@http://${rest}`),
          ),
        )
        .map(([provider, model, address]) => `${provider}:${model}${address}`),
    );
    fc.assert(
      fc.property(text, (written) => {
        const name = readOrRefused(written);
        const isFine =
          name instanceof AppError
            ? name.code.startsWith('model.')
            : isProvider(name.provider) && isDeepStrictEqual(parseModelName(modelNameText(name)), name);
        expect(isFine).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

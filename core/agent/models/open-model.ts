// A name as a model that can be called. What a provider's package would take from the environment is always given.

import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { AppError, messageOf } from '../../model/errors.ts';
import { MAX_RESULT_BYTES } from '../../model/limits.ts';
import { KEY_NAMES } from '../../model/model-keys.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { modelNameText, parseModelName, type Provider, type RemoteProvider } from './model-name.ts';

export interface OpenedModel {
  /** As a manifest spells it. */
  readonly name: string;
  readonly provider: Provider;
  /** One for the AI SDK as well. */
  readonly model: LanguageModelV4;
  /** Whether an answer can be held to a JSON schema by the provider itself. */
  readonly hasStructuredOutput: boolean;
  /** For one answer, or for a whole stream; what {@link callModel} gives one attempt. */
  readonly timeoutMs: number;
  /** A text without the key, which a provider may repeat in what it says. */
  readonly hide: (text: string) => string;
}

export interface OpenModelOptions {
  /** Secrets by name, like `OPENAI_API_KEY`: {@link KEY_NAMES}. Nothing is taken from the environment. */
  readonly keys: Readonly<Record<string, string>>;
  /** What the path of a script begins at, and does not lead out of; without it there are no scripted models. */
  readonly directory?: string;
  /** 2 minutes unless said otherwise. */
  readonly timeoutMs?: number;
  /** Of one answer, as it comes; 16 MiB unless said otherwise. */
  readonly maxAnswerBytes?: number;
}

export { KEY_NAMES };

/** Of each provider; what its package would take from the environment is never asked. */
export const BASE_URLS = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  mistral: 'https://api.mistral.ai/v1',
} as const satisfies Record<Exclude<RemoteProvider, 'openai-compatible'>, string>;

const DEFAULT_TIMEOUT_MS = 120_000;
const HIDDEN = '[key]';
/** Shorter than this it is no key, and hiding it would take texts apart. */
const SHORTEST_HIDDEN = 4;

/**
 * Reads what it needs, and connects to nothing.
 * @throws `model.*` with what is missing
 */
export async function openModel(text: string, options: OpenModelOptions): Promise<OpenedModel> {
  const name = parseModelName(text);
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const base = { name: modelNameText(name), provider: name.provider, timeoutMs };
  if (name.provider === 'scripted') {
    const path = scriptPath(name.path, options.directory);
    const { openScriptedModel } = await import('./scripted-model.ts');
    const model = await openScriptedModel(path, name.path);
    return { ...base, model, hasStructuredOutput: false, hide: (said) => said };
  }
  const key = keyOf(name.provider, base.name, options.keys);
  const model = await remoteModel({
    provider: name.provider,
    model: name.model,
    baseUrl: name.baseUrl,
    key,
    fetch: boundedFetch(options.maxAnswerBytes ?? MAX_RESULT_BYTES),
  });
  return {
    ...base,
    model,
    hasStructuredOutput: name.provider !== 'openai-compatible',
    hide: (said) => (key === null || key.length < SHORTEST_HIDDEN ? said : said.replaceAll(key, HIDDEN)),
  };
}

function keyOf(
  provider: RemoteProvider,
  name: string,
  keys: Readonly<Record<string, string>>,
): string | null {
  const names = KEY_NAMES[provider];
  const found = names.find((secret) => Object.hasOwn(keys, secret) && keys[secret] !== '');
  if (found !== undefined) return checked(keys[found]!, found);
  // Those at home mostly ask for none.
  if (provider === 'openai-compatible') return null;
  throw new AppError(
    'model.no-key',
    `${name} needs the secret ${names.join(' or ')}, which this agent has not. Set that variable where its host is started. If it is set there, add it to the manifest's secrets: only the models that the agent itself runs on have their keys without.`,
    { name, secrets: names },
  );
}

function checked(key: string, secret: string): string {
  // It goes into a header, and what a header can't hold is told with the value in it.
  if (/^[\u0021-\u007e]+$/.test(key)) return key;
  throw new AppError(
    'model.bad-key',
    `The secret ${secret} is no key: it holds a space, a line break or a character beyond ASCII. Set it again.`,
    { secret },
  );
}

interface Remote {
  readonly provider: RemoteProvider;
  readonly model: string;
  readonly baseUrl: string | null;
  readonly key: string | null;
  readonly fetch: typeof fetch;
}

async function remoteModel({ provider, model, baseUrl, key, fetch }: Remote): Promise<LanguageModelV4> {
  const apiKey = key ?? '';
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ apiKey, baseURL: baseUrl ?? BASE_URLS.openai, fetch }).responses(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey, baseURL: baseUrl ?? BASE_URLS.anthropic, fetch }).messages(model);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ apiKey, baseURL: baseUrl ?? BASE_URLS.google, fetch }).chat(model);
    }
    case 'mistral': {
      const { createMistral } = await import('@ai-sdk/mistral');
      return createMistral({ apiKey, baseURL: baseUrl ?? BASE_URLS.mistral, fetch }).chat(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        name: 'openai-compatible',
        baseURL: baseUrl!,
        ...(key === null ? {} : { apiKey }),
        includeUsage: true,
        fetch,
      }).chatModel(model);
    }
  }
}

/** Where a script lies. A link may lead out of the workspace, and the workspace itself may be reached by one. */
function scriptPath(path: string, directory: string | undefined): string {
  if (directory === undefined) {
    throw new AppError('model.no-directory', `There is no workspace here, so there is no script ${path}.`);
  }
  const absolute = resolve(directory, path);
  let real: string;
  try {
    real = realpathSync(absolute);
  } catch (error) {
    throw new AppError(
      'model.no-script',
      `The script ${path} can't be read: ${messageOf(error)}.`,
      { path },
      { cause: error },
    );
  }
  if (isInside(resolve(directory), absolute) && isInside(realpathSync(directory), real)) return real;
  throw new AppError(
    'model.outside-workspace',
    `The script ${path} is not inside the workspace. Move it into it.`,
    { path },
  );
}

function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

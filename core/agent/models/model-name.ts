// How a manifest names a model: `openai:gpt-5-mini`, `openai-compatible:llama3.2@http://localhost:11434/v1`,
// `scripted:answers.yaml`.

import { AppError } from '../../model/errors.ts';

/** Who is asked over HTTP. Behind `@`, any of them may have another base address than its own. */
export const REMOTE_PROVIDERS = ['openai', 'anthropic', 'google', 'mistral', 'openai-compatible'] as const;
export type RemoteProvider = (typeof REMOTE_PROVIDERS)[number];

export const PROVIDERS = [...REMOTE_PROVIDERS, 'scripted'] as const;
export type Provider = (typeof PROVIDERS)[number];

export type ModelName =
  | {
      readonly provider: RemoteProvider;
      readonly model: string;
      /** Without a slash at its end; null for the provider's own. */
      readonly baseUrl: string | null;
    }
  /** `path`: of the script, as it was written. */
  | { readonly provider: 'scripted'; readonly path: string };

const MAX_NAME = 1_000;
const SHOWN = 100;
const EXAMPLES =
  'openai:gpt-5-mini, openai-compatible:llama3.2@http://localhost:11434/v1 or scripted:answers.yaml';

/** @throws `model.bad-name`, `model.unknown-provider`, `model.bad-address` */
export function parseModelName(text: string): ModelName {
  const at = text.indexOf(':');
  if (at < 0 || text.length > MAX_NAME || hasUnseen(text)) {
    throw badName(text, `It is a provider, a colon and a model: ${EXAMPLES}.`);
  }
  const provider = text.slice(0, at);
  const rest = text.slice(at + 1);
  if (!isProvider(provider)) {
    throw new AppError(
      'model.unknown-provider',
      `${shown(text)} names the provider ${shown(provider)}, which is not known. There are ${PROVIDERS.join(', ')}; any other that speaks OpenAI's protocol is openai-compatible:<model>@<base address>.`,
      { name: text.slice(0, MAX_NAME), providers: PROVIDERS },
    );
  }
  return provider === 'scripted' ? scripted(text, rest) : remote(text, provider, rest);
}

/** The name as {@link parseModelName} reads it. */
export function modelNameText(name: ModelName): string {
  if (name.provider === 'scripted') return `scripted:${name.path}`;
  return `${name.provider}:${name.model}${name.baseUrl === null ? '' : `@${name.baseUrl}`}`;
}

export function isProvider(text: string): text is Provider {
  return (PROVIDERS as readonly string[]).includes(text);
}

function scripted(text: string, path: string): ModelName {
  if (path.trim() === '')
    throw badName(text, 'Behind the colon is the path of a script: scripted:answers.yaml.');
  return { provider: 'scripted', path };
}

function remote(text: string, provider: RemoteProvider, rest: string): ModelName {
  // A model's own name may hold colons, slashes and an @.
  const split = rest.search(/@https?:/i);
  const model = split < 0 ? rest : rest.slice(0, split);
  if (model === '' || /\s/.test(model)) {
    throw badName(text, `Behind the colon is the model's name, without spaces: ${EXAMPLES}.`);
  }
  const baseUrl = split < 0 ? null : baseUrlOf(text, rest.slice(split + 1));
  if (baseUrl === null && provider === 'openai-compatible') {
    throw new AppError(
      'model.bad-address',
      `${shown(text)} says not where the model is. Put its base address behind it: ${provider}:${model.slice(0, SHOWN)}@http://localhost:11434/v1.`,
      { name: text },
    );
  }
  return { provider, model, baseUrl };
}

function baseUrlOf(text: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const why =
    url === null
      ? 'is no address'
      : url.username !== '' || url.password !== ''
        ? 'holds a user or a password, which belong among the secrets'
        : url.search !== '' || url.hash !== '' || /[?#]/.test(address)
          ? "has a query or a fragment, which a base address can't have"
          : null;
  if (url === null || why !== null) {
    // What may hold a password is not shown.
    throw new AppError(
      'model.bad-address',
      `The base address behind ${shown(text.slice(0, text.length - address.length - 1))} ${why}. It is like https://example.com/v1.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** Controls and line breaks, which nobody sees in a message. */
function hasUnseen(text: string): boolean {
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text);
}

function badName(text: string, what: string): AppError {
  return new AppError(
    'model.bad-name',
    `${shown(text)} names no model. ${what} Providers: ${PROVIDERS.join(', ')}.`,
    {
      name: text.slice(0, MAX_NAME),
    },
  );
}

function shown(text: string): string {
  return JSON.stringify(text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`);
}

// What an embedding model makes of a text. It is a paid call, so it is an effect of its own.

import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { AppError, messageOf } from '../../model/errors.ts';
import { DidNotHappen, EffectFailed } from '../effect-errors.ts';
import type { Turn } from '../llm/tool.ts';
import { boundedFetch } from '../models/bounded-fetch.ts';
import { callFailureOf } from '../models/call-failure.ts';
import { parseModelName, type ModelName } from '../models/model-name.ts';
import { BASE_URLS, KEY_NAMES } from '../models/open-model.ts';
import { packVector, unpackVector, vectorOf } from './memory-vectors.ts';
import type { MemoryVector } from './memory-store.ts';

/** What is longer is understood by its beginning. */
const MAX_EMBEDDED = 8_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Null where no model is configured, and where it could not be had: what needs it does without, and the journal says why.
 */
export async function embedded(turn: Turn, text: string): Promise<MemoryVector | null> {
  const { ctx, plan } = turn;
  const model = plan.memory?.embeddingModel ?? null;
  if (model === null || plan.memory === null || text.trim() === '') return null;
  const asked = text.slice(0, MAX_EMBEDDED);
  try {
    const { vector } = await ctx.effect(
      'memory.embed',
      {
        class: 'retry',
        model,
        args: { text: asked },
        expects: { tokensIn: Math.ceil(asked.length / 2) },
        timeoutMs: Math.max(1, plan.memory.timeoutMs),
        retry: { attempts: 1 },
      },
      async (call) => {
        const { values, tokens } = await vectorFor(turn, model, asked, call.signal);
        if (tokens !== null) call.used({ tokensIn: tokens });
        return { vector: packVector(values).toString('base64') };
      },
    );
    return { model, values: unpackVector(Buffer.from(vector, 'base64')) };
  } catch (error) {
    if (!(error instanceof EffectFailed)) throw error;
    ctx.log(
      `The embedding model was of no use, so memory goes by words alone: ${messageOf(error)}`,
      'warning',
    );
    return null;
  }
}

async function vectorFor(
  { ctx }: Turn,
  name: string,
  text: string,
  signal: AbortSignal,
): Promise<{ readonly values: Float32Array; readonly tokens: number | null }> {
  const { parsed, key } = await knownModel(ctx, name);
  try {
    const model = await openEmbeddingModel(parsed, key);
    const { embeddings, usage } = await model.doEmbed({ values: [text], abortSignal: signal });
    return { values: vectorOf(embeddings[0] ?? []), tokens: usage?.tokens ?? null };
  } catch (error) {
    // A provider may say the key again.
    const hide = (said: string): string =>
      key === null || key.length < 4 ? said : said.replaceAll(key, '[key]');
    const { words, said, maybePaid } = callFailureOf(error, { hide }, Date.now());
    const message = `${name} ${words}${said === '' ? '' : `: ${said}`}`;
    if (!maybePaid) throw new DidNotHappen(message);
    throw new AppError('memory.no-vector', message, { model: name });
  }
}

/** @throws DidNotHappen for what can't be asked at all */
async function knownModel(ctx: Turn['ctx'], name: string) {
  try {
    const parsed = parseModelName(name);
    return { parsed, key: await keyFor(ctx, parsed) };
  } catch (error) {
    throw new DidNotHappen(messageOf(error), { cause: error });
  }
}

async function keyFor(ctx: Turn['ctx'], name: ModelName): Promise<string | null> {
  if (name.provider === 'scripted') return null;
  let refused: unknown = null;
  for (const secret of KEY_NAMES[name.provider]) {
    try {
      return await ctx.secret(secret);
    } catch (error) {
      refused ??= error;
    }
  }
  // Those at home mostly ask for none.
  if (name.provider === 'openai-compatible') return null;
  throw refused;
}

/** @throws `memory.no-embedding-model` */
async function openEmbeddingModel(name: ModelName, key: string | null): Promise<EmbeddingModelV4> {
  const apiKey = key ?? '';
  const fetch = boundedFetch(MAX_ANSWER_BYTES);
  switch (name.provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ apiKey, baseURL: name.baseUrl ?? BASE_URLS.openai, fetch }).embedding(name.model);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ apiKey, baseURL: name.baseUrl ?? BASE_URLS.google, fetch }).embedding(name.model);
    }
    case 'mistral': {
      const { createMistral } = await import('@ai-sdk/mistral');
      const baseURL = name.baseUrl ?? BASE_URLS.mistral;
      return createMistral({ apiKey, baseURL, fetch }).embedding(name.model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        name: 'openai-compatible',
        baseURL: name.baseUrl!,
        ...(key === null ? {} : { apiKey: key }),
        fetch,
      }).embeddingModel(name.model);
    }
    case 'anthropic':
    case 'scripted':
      throw new AppError(
        'memory.no-embedding-model',
        `${name.provider} has no embedding models. Name one of openai, google, mistral or openai-compatible, or none: memory goes by words then.`,
      );
  }
}

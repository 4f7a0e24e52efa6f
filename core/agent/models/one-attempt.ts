// One call of one model, with an end whatever it does.

import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { AppError, RetryableError } from '../../model/errors.ts';
import { collectStream, type Glimpse } from './collect-stream.ts';
import { answerOf, type Answer } from './model-answer.ts';
import { callOptionsOf, type ModelPrompt } from './model-prompt.ts';
import type { OpenedModel } from './open-model.ts';

export interface Attempt {
  readonly opened: OpenedModel;
  readonly prompt: ModelPrompt;
  /** Whoever asked does not want it any more. */
  readonly signal: AbortSignal | undefined;
  /** Given, the answer is streamed. */
  readonly watch: { readonly silenceMs: number; readonly see: (glimpse: Glimpse) => void } | null;
}

/** Of a stream: the longest wait for what comes next. */
export const DEFAULT_SILENCE_MS = 60_000;

/** A day: a timer holds no more than some weeks, and fires at once where it is given more. */
export const LONGEST_MS = 86_400_000;

/** @throws whatever the provider's package throws, `model.timeout`, or the reason of `signal` */
export async function attempt({ opened, prompt, signal, watch }: Attempt): Promise<Answer> {
  const ended = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  // Where the call ends first, nobody waits for this.
  over.catch(() => undefined);
  const end = (reason: unknown): void => {
    ended.abort(reason);
    reject(reason);
  };
  const callOff = (): void => end(signal?.reason);
  const { timeoutMs } = opened;
  const late = timer(timeoutMs, () => end(tooSlow(`no answer within ${seconds(timeoutMs)}`)));
  signal?.addEventListener('abort', callOff, { once: true });
  try {
    signal?.throwIfAborted();
    const options = { ...callOptionsOf(prompt, opened), abortSignal: ended.signal };
    // A package that does not hear its signal is not waited for.
    const answer =
      watch === null
        ? answerOf(await Promise.race([opened.model.doGenerate(options), over]))
        : await streamed({ opened, options, over, ended, end, watch });
    if (answer.finish === 'error')
      throw new RetryableError('model.nonsense', 'it gave up in the middle of its answer');
    return answer;
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', callOff);
  }
}

type PartReader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

interface Streaming {
  readonly opened: OpenedModel;
  readonly options: Parameters<OpenedModel['model']['doStream']>[0];
  readonly over: Promise<never>;
  readonly ended: AbortController;
  readonly watch: NonNullable<Attempt['watch']>;
  readonly end: (reason: unknown) => void;
}

async function streamed({
  opened,
  options,
  over,
  ended: { signal },
  end,
  watch,
}: Streaming): Promise<Answer> {
  const { silenceMs, see } = watch;
  const silence = timer(silenceMs, () => end(tooSlow(`nothing for ${seconds(silenceMs)}`)));
  let release: (() => void) | null = null;
  try {
    const { stream } = await Promise.race([opened.model.doStream(options), over]);
    const reader = stream.getReader();
    // The connection is let go of, and whoever reads gets an end; a stream that broke says again how.
    release = () => void reader.cancel().catch(() => undefined);
    signal.addEventListener('abort', release, { once: true });
    const collector = collectStream();
    for (;;) {
      silence.refresh();
      const { done, value } = await nextOf(reader, signal);
      if (done) break;
      const glimpse = collector.add(value);
      if (glimpse !== null) shown(see, glimpse);
    }
    const collected = collector.end();
    if (collected === null) throw new RetryableError('model.cut', 'the stream ended before the answer did');
    return answerOf(collected);
  } finally {
    clearTimeout(silence);
    release?.();
  }
}

/** @throws the reason where it is over, whatever the stream says then */
async function nextOf(
  reader: PartReader,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<PartReader['read']>>> {
  try {
    signal.throwIfAborted();
    return await reader.read();
  } finally {
    signal.throwIfAborted();
  }
}

/** What {@link Attempt.watch} threw: the fault of whoever looks, not of the model. */
export class WatcherFailed extends AppError {
  constructor(cause: unknown) {
    super('model.watcher-failed', 'What watches the answer failed.', {}, { cause });
    this.name = 'WatcherFailed';
  }
}

function shown(see: (glimpse: Glimpse) => void, glimpse: Glimpse): void {
  try {
    see(glimpse);
  } catch (error) {
    throw new WatcherFailed(error);
  }
}

function tooSlow(what: string): RetryableError {
  return new RetryableError('model.timeout', what);
}

function timer(ms: number, ring: () => void): NodeJS.Timeout {
  return setTimeout(ring, Math.min(ms, LONGEST_MS));
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

// Answers questions about an invocation under way, out of its own code. A worker that has it in hand is asked; otherwise
// one is started that only looks: it goes as far as the record goes, answers, and is ended. Nothing is written for it.

import { AppError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Clock, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { openOf, type OpenInvocation, type ProcessSnapshot } from '../model/snapshot.ts';
import { LOOKING, type FromWorker, type QueryAnswer } from '../model/worker-protocol.ts';
import { fetchPayload, fetchSpilled, recordOf } from './invocation-record.ts';
import type { InvocationRunner } from './invocation-runner.ts';
import { OneAtATime } from './one-at-a-time.ts';
import type { Recorder } from './recorder.ts';

const PATIENCE_MS = 10_000;

export interface QueryDeskOptions {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly workerHost: WorkerHost;
  readonly runner: InvocationRunner;
  readonly clock: Clock;
  /** @throws where nothing may be asked any more */
  readonly refuseNow: () => void;
}

/** Whoever was asked has it in hand no more: its worker let go of it, or is gone. */
const GONE = 'gone';

interface Waiting {
  readonly resolve: (answer: QueryAnswer | typeof GONE) => void;
  /** Of the run that a worker in charge was asked about; null where a worker only looks. */
  readonly eventId: string | null;
}

export class QueryDesk {
  readonly #options: QueryDeskOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #lookers = new OneAtATime();
  readonly #over = new AbortController();
  #last = 0;

  constructor(options: QueryDeskOptions) {
    this.#options = options;
  }

  /**
   * The answer of an open invocation, the oldest unless one is named.
   * @throws `process.nothing-under-way`, `query.*`, and what the query's own code throws
   */
  async ask(name: string, args: Json, eventId: string | null): Promise<Json> {
    this.#options.refuseNow();
    const asked = this.#openOf(eventId).event.eventId;
    for (;;) {
      const open = this.#openOf(asked);
      this.#last += 1;
      const id = this.#last;
      const answer = this.#options.runner.askRun(asked, { id, name, args })
        ? await this.#answered(id, asked)
        : await this.#looked(open, { id, name, args });
      // Asked of whoever has it now, or of the record; where it ended meanwhile, that is the answer.
      if (answer === GONE) continue;
      if (answer.ok) return answer.value;
      throw new AppError(answer.code, answer.message, { query: name });
    }
  }

  /** Resolves when no worker looks any more. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#lookers.idle();
  }

  /** What a worker in charge says. */
  heard({ id, answer }: Extract<FromWorker, { type: 'query-answered' }>): void {
    this.#waiting.get(id)?.resolve(answer);
  }

  /** The worker in charge has this run in hand no more: what it was asked and did not answer it never will. */
  gone(eventId: string): void {
    for (const waiting of this.#waiting.values()) if (waiting.eventId === eventId) waiting.resolve(GONE);
  }

  #openOf(eventId: string | null): OpenInvocation {
    const { definition, recorder } = this.#options;
    const { open } = recorder().snapshot as ProcessSnapshot;
    const found = eventId === null ? open[0] : openOf({ open }, eventId);
    if (found !== undefined) return found;
    throw new AppError(
      'process.nothing-under-way',
      eventId === null
        ? `${definition.name} has no invocation under way that could answer. Its state shows what it last wrote.`
        : `${definition.name} has no invocation of the event ${eventId} under way (any more).`,
      { process: definition.name },
    );
  }

  async #answered(id: number, eventId: string): Promise<QueryAnswer | typeof GONE>;
  async #answered(id: number, eventId: null): Promise<QueryAnswer>;
  async #answered(id: number, eventId: string | null): Promise<QueryAnswer | typeof GONE> {
    const { clock, definition } = this.#options;
    let cancel = (): void => {};
    const late = new Promise<QueryAnswer>((resolve) => {
      cancel = clock.after(PATIENCE_MS, () => {
        const message = `${definition.name} did not answer within ${PATIENCE_MS / 1000} s. Its code may be busy; ask again later.`;
        resolve({ ok: false, code: 'query.late', message });
      });
    });
    const answer = new Promise<QueryAnswer | typeof GONE>((resolve) => {
      this.#waiting.set(id, { resolve, eventId });
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      cancel();
      this.#waiting.delete(id);
    }
  }

  async #looked(
    open: OpenInvocation,
    query: { readonly id: number; readonly name: string; readonly args: Json },
  ): Promise<QueryAnswer> {
    let answer: QueryAnswer | null = null;
    await this.#lookers.run(async () => {
      answer = await this.#look(open, query);
    });
    return answer!;
  }

  async #look(
    open: OpenInvocation,
    { id, name, args }: { readonly id: number; readonly name: string; readonly args: Json },
  ): Promise<QueryAnswer> {
    const { definition, recorder, workerHost } = this.#options;
    const effects = await fetchSpilled(recorder(), open.effects);
    const event = (await fetchPayload(recorder(), open.event)) ?? open.event;
    const known = effects.filter((effect) => effect !== null);
    const record = recordOf(recorder().snapshot, open, definition, known);
    const { entrypoint, config } = definition;
    const spec = { process: definition.name, entrypoint, generation: LOOKING, limits: config.workerLimits };
    const worker = await workerHost.spawn(spec, this.#over.signal);
    try {
      worker.onMessage((message) => {
        if (message.type === 'query-answered') this.heard(message);
      });
      const answered = this.#answered(id, null);
      worker.send({
        type: 'invoke',
        run: LOOKING,
        mode: 'look',
        event,
        process: definition.name,
        workspace: definition.directory,
        attempt: open.attempt,
        record,
        keyPrefix: '',
        isDurable: true,
        writableKeys: config.writableKeys,
      });
      worker.send({ type: 'query', run: LOOKING, id, name, args });
      const died = worker.exited.then(({ lastOutput }): QueryAnswer => {
        const message = `The worker that looked it up ended: ${lastOutput.trim().slice(-500) || 'it said nothing'}.`;
        return { ok: false, code: 'query.worker-ended', message };
      });
      this.#over.signal.addEventListener('abort', () => worker.kill());
      if (this.#over.signal.aborted) worker.kill();
      return await Promise.race([answered, died]);
    } finally {
      worker.kill();
      await worker.exited;
    }
  }
}

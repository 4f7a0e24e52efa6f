// A host of workers whose output is kept: what they write, and what they say through their log, goes into the sink of
// their process. Whoever runs them notices nothing.

import { endsRun } from '../agent/worker-harness.ts';
import { codeOf, type AppError } from '../model/errors.ts';
import { LOOKING } from '../model/worker-protocol.ts';
import type { WorkerHandle, WorkerHost, WorkerOutput } from '../model/ports.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';
import { outputSink, type OutputSink, type OutputSinkOptions } from './worker-output.ts';

/** Of runs that are over: what they wrote last may still come. */
const REMEMBERED_RUNS = 1_000;

/** The sinks of a journal's processes, one for each, made when it is asked for. */
export interface OutputSinks extends Disposable {
  /** Null for a name that no folder can have. */
  of(process: string): OutputSink | null;
  /** Why something that is written can't be kept now; null when all of it can. */
  trouble(): AppError | null;
}

/** Disposing writes what waits in any of them. */
export function outputSinks(directory: string, options: OutputSinkOptions = {}): OutputSinks {
  const sinks = new Map<string, OutputSink | null>();
  const make = (process: string): OutputSink | null => {
    try {
      return outputSink(directory, process, options);
    } catch (error) {
      if (codeOf(error) === 'journal.name-unsupported') return null;
      throw error;
    }
  };
  return {
    of: (process) => {
      const known = sinks.get(process);
      if (known !== undefined) return known;
      const sink = make(process);
      sinks.set(process, sink);
      return sink;
    },
    trouble: () => [...sinks.values()].find((sink) => sink?.trouble)?.trouble ?? null,
    [Symbol.dispose]: () => {
      for (const sink of sinks.values()) sink?.[Symbol.dispose]();
    },
  };
}

/** `sinkOf` gives null where there is nowhere to keep it. */
export function keepOutput(host: WorkerHost, sinkOf: (process: string) => OutputSink | null): WorkerHost {
  return {
    reap: (worker) => host.reap(worker),
    spawn: async (spec, callOff, output, secrecy) => {
      // A worker that only looks leaves nothing behind.
      const sink = spec.generation === LOOKING ? null : sinkOf(spec.process);
      if (sink === null) return host.spawn(spec, callOff, output, secrecy);
      const runs = new KnownRuns();
      try {
        const handle = await host.spawn(spec, callOff, intoSink(sink, spec.generation, runs), secrecy);
        void handle.exited.then(() => sink.flush());
        return listening(handle, sink, spec.generation, runs);
      } catch (error) {
        sink.flush();
        throw error;
      }
    },
  };
}

function intoSink(sink: OutputSink, generation: number, runs: KnownRuns): WorkerOutput {
  return {
    hasRoom: () => sink.hasRoom(),
    onDropped: (stream, lines) => sink.dropped(generation, stream, lines),
    onLine: ({ stream, text, run }) => sink.write({ generation, stream, ...runs.eventOf(run), text }),
  };
}

/** The same worker; what passes by is looked at. */
function listening(
  handle: WorkerHandle,
  sink: OutputSink,
  generation: number,
  runs: KnownRuns,
): WorkerHandle {
  return {
    pid: handle.pid,
    startTime: handle.startTime,
    exited: handle.exited,
    end: () => handle.end(),
    kill: (why) => handle.kill(why),
    facts: () => handle.facts(),
    send: (message) => {
      runs.sent(message);
      handle.send(message);
    },
    onMessage: (listener) =>
      handle.onMessage((message) => {
        if (message.type === 'log') {
          const { level, text, run } = message;
          sink.write({ generation, stream: 'log', level, ...runs.eventOf(run), text });
        }
        runs.heard(message);
        listener(message);
      }),
  };
}

/** Which trigger event a run handles. */
class KnownRuns {
  readonly #events = new Map<number, string>();
  readonly #over: number[] = [];

  sent(message: ToWorker): void {
    if (message.type === 'invoke') this.#events.set(message.run, message.event.eventId);
  }

  heard(message: FromWorker): void {
    const ended = endsRun(message);
    if (ended === null) return;
    this.#over.push(ended);
    if (this.#over.length > REMEMBERED_RUNS) this.#events.delete(this.#over.shift()!);
  }

  eventOf(run: number | null): { readonly eventId?: string } {
    const eventId = run === null ? undefined : this.#events.get(run);
    return eventId === undefined ? {} : { eventId };
  }
}

// Workers whose words have no secrets in them by the time that anybody hears them: before anything is cut, kept or compared.
// What a worker was given by `ctx.secret` it has taken out itself; this is for what its code has from elsewhere.

import type { WorkerHandle, WorkerHost, WorkerOutput, Secrecy } from '../model/ports.ts';
import type { Scrub } from '../model/scrubber.ts';
import type { FromWorker } from '../model/worker-protocol.ts';

export interface ScrubbedWorkersOptions {
  readonly scrub: Scrub;
  /** Whether a variable of the host's environment is kept from them. */
  readonly isWithheld: (name: string, value: string) => boolean;
}

export function scrubbedWorkers(host: WorkerHost, { scrub, isWithheld }: ScrubbedWorkersOptions): WorkerHost {
  const secrecy: Secrecy = { scrub: (text) => scrub.text(text), isWithheld };
  return {
    reap: (worker) => host.reap(worker),
    spawn: async (spec, callOff, output) => {
      const heard = output === undefined ? undefined : scrubbedOutput(output, scrub);
      return scrubbedHandle(await host.spawn(spec, callOff, heard, secrecy), scrub);
    },
  };
}

function scrubbedOutput(output: WorkerOutput, scrub: Scrub): WorkerOutput {
  return { ...output, onLine: (line) => output.onLine({ ...line, text: scrub.text(line.text) }) };
}

function scrubbedHandle(handle: WorkerHandle, scrub: Scrub): WorkerHandle {
  return {
    pid: handle.pid,
    startTime: handle.startTime,
    exited: handle.exited.then((exit) => scrub.json(exit)),
    end: () => handle.end(),
    kill: (why) => handle.kill(why),
    facts: () => handle.facts(),
    send: (message) => handle.send(message),
    onMessage: (listener) =>
      handle.onMessage((message) => {
        if ('effectId' in message && scrub.text(message.effectId) !== message.effectId) {
          // By another name it would never hear of it again.
          handle.kill('named an effect by a secret that it does not have from ctx.secret');
        } else listener(scrubbed(message, scrub));
      }),
  };
}

/** The recorder does it again for all that is recorded: here it is for what is cut or compared before that. */
function scrubbed(message: FromWorker, scrub: Scrub): FromWorker {
  if (message.type === 'secret-asked') return message;
  if (message.type === 'effect-announced') {
    const args = scrub.json(message.args);
    return args === message.args ? message : { ...message, args };
  }
  if (message.type === 'effect-ended') {
    const end = scrub.json(message.end);
    return end === message.end ? message : { ...message, end };
  }
  return scrub.json(message);
}

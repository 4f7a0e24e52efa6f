// The judge that an agent's module brings along, in a worker of its own. It is started to be asked once, and ended with the
// answer: a judge that hangs, loops or crashes takes nothing with it that the process needs, and leaves nothing behind.

import { AppError } from '../model/errors.ts';
import type { Judge, JudgeCall, JudgeView } from '../model/judge.ts';
import type { Json } from '../model/json.ts';
import type { WorkerHandle, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { LOOKING, type QueryAnswer } from '../model/worker-protocol.ts';
import type { WorkerPermits } from './worker-permits.ts';
import { UnderWay } from './under-way.ts';

const MAX_OUTPUT = 500;

/** What it uses of models by itself nobody counts. */
type WorkerCall = Omit<JudgeCall, 'onUsed'>;

export interface WorkerJudgeOptions {
  readonly definition: ProcessDefinition;
  readonly workerHost: WorkerHost;
  readonly permits: WorkerPermits;
}

export class WorkerJudge implements Judge {
  readonly #options: WorkerJudgeOptions;
  readonly #underWay = new UnderWay();

  constructor(options: WorkerJudgeOptions) {
    this.#options = options;
  }

  judge(view: JudgeView, call: JudgeCall): Promise<Json> {
    return this.#underWay.follow(this.#asked(view, call));
  }

  idle(): Promise<void> {
    return this.#underWay.idle();
  }

  /** In line for a worker like everybody else. */
  async #asked(view: JudgeView, { callOff, onBegan }: WorkerCall): Promise<Json> {
    const { permits } = this.#options;
    const granted = Promise.withResolvers<void>();
    const permit = permits.request(() => granted.resolve());
    if (permit.isGranted) granted.resolve();
    callOff.addEventListener('abort', () => granted.reject(calledOff()));
    if (callOff.aborted) granted.reject(calledOff());
    try {
      await granted.promise;
      return await this.#inWorker(view, { callOff, onBegan });
    } finally {
      permit.release();
    }
  }

  async #inWorker(view: JudgeView, { callOff, onBegan }: WorkerCall): Promise<Json> {
    const { definition, workerHost } = this.#options;
    const { name, entrypoint, config } = definition;
    const limits = config.workerLimits;
    const worker = await workerHost.spawn(
      { process: name, entrypoint, generation: LOOKING, limits },
      callOff,
    );
    try {
      const answered = new Promise<QueryAnswer>((resolve) => {
        worker.onMessage((message) => {
          if (message.type === 'judged') resolve(message.answer);
        });
      });
      callOff.addEventListener('abort', () => worker.kill('was called off'));
      if (callOff.aborted) worker.kill('was called off');
      onBegan();
      worker.send({ type: 'judge', view });
      const answer = await Promise.race([answered, diedOf(worker)]);
      if (answer.ok) return answer.value;
      throw new AppError(answer.code, answer.message);
    } finally {
      worker.kill('has judged');
      await worker.exited;
    }
  }
}

async function diedOf({ exited }: WorkerHandle): Promise<QueryAnswer> {
  const { why, lastOutput } = await exited;
  const said = lastOutput.trim().slice(-MAX_OUTPUT);
  const message = `the worker of the judge ${why}${said === '' ? '' : `: ${said}`}`;
  return { ok: false, code: 'mission.judge-ended', message };
}

function calledOff(): AppError {
  return new AppError('mission.called-off', 'the judge was called off');
}

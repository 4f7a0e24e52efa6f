// Asks an agent something and waits for the answer: a question in its inbox, which its next invocation gets.

import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import type { ProcessDetail } from '../contract/process-detail.ts';
import { AppError } from '../model/errors.ts';
import { MAX_INBOX_LENGTH } from '../model/inbox.ts';
import { ask } from './operate.ts';
import { print, printError, printJson } from './output.ts';
import { placeOf, reachHost, typed } from './reach.ts';

const LOOK_EVERY_MS = 250;

export interface AskGiven {
  readonly json: boolean;
  /** Seconds. */
  readonly timeout: number;
  readonly now: boolean;
}

/** @throws `inbox.no-answer` where none came in time; the question waits all the same */
export async function askAgent(
  directory: string,
  process: string,
  text: string,
  { json, timeout, now }: AskGiven,
): Promise<void> {
  if (text.trim() === '' || text.length > MAX_INBOX_LENGTH)
    throw new InvalidArgumentError(`A question has 1 to ${MAX_INBOX_LENGTH} characters.`);
  const host = await reachHost(placeOf(directory));
  const commandId = crypto.randomUUID();
  const command = { process, reason: 'asked at the command line' };
  try {
    await ask(host, 'inbox.write', {
      ...command,
      commandId,
      messageType: 'question',
      content: text,
      priority: 'normal',
      expiresInSeconds: null,
    });
    if (now) await ask(host, 'processes.trigger', { ...command, commandId: crypto.randomUUID() });
    else if (!json) printError(`Asked; ${process} reads it with its next invocation.`);
    const until = performance.now() + timeout * 1000;
    for (;;) {
      const detail = (await ask(host, 'processes.read', { process })) as ProcessDetail;
      const read = detail.inboxRead.find(({ messageId }) => messageId === commandId);
      if (read?.answer != null) {
        const { answer, invocation } = read;
        if (json) printJson({ questionId: commandId, response: answer.text, at: answer.at, invocation });
        else print(answer.text);
        return;
      }
      if (read === undefined && !detail.inbox.some(({ messageId }) => messageId === commandId)) {
        throw noAnswer(`${process} never got the question: it expired, or more urgent ones took its place.`);
      }
      if (performance.now() > until) {
        throw noAnswer(
          `${process} has not answered within ${timeout} s. The question stays: look with ${typed('inbox', directory, process)}`,
        );
      }
      await delay(LOOK_EVERY_MS);
    }
  } finally {
    host.connection.close(new AppError('host.closing', 'This command is done.'));
  }
}

function noAnswer(message: string): AppError {
  return new AppError('inbox.no-answer', message);
}

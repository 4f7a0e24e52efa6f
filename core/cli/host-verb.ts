// What a verb is that asks the host, and what several of them take.

import { InvalidArgumentError, Option } from 'commander';
import type { RequestName } from '../contract/requests.ts';
import { messageOf } from '../model/errors.ts';

export type Given = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly directory: string;
  /** What was typed behind it. */
  readonly words: readonly string[];
  readonly given: Given;
}

/** A request that nothing is changed by. */
export interface Further extends Pick<HostVerb, 'asks' | 'says'> {
  readonly fields: Given;
}

export interface HostVerb {
  /** As commander wants it: the verb, `<directory>`, and what else it takes, the process first where it takes one. */
  readonly usage: string;
  readonly description: string;
  readonly asks: RequestName;
  readonly options?: readonly Option[];
  /**
   * What goes into the request beside journal, process, command id and reason; `words` are those behind the directory.
   * @throws InvalidArgumentError
   */
  readonly more?: (words: readonly string[], given: Given) => Given;
  /** The answer as lines for a person; without it, what was done and the state it led to. */
  readonly says?: (answer: unknown) => readonly string[];
  /** Why the command fails although it was answered; null where all was done. */
  readonly fails?: (answer: unknown) => string | null;
  /** The part of the answer that `--json` gives; without it, all of it. */
  readonly picks?: (answer: unknown) => unknown;
  /** What the answer leads on to, whose answer is told in its place; null: it is told itself. @throws AppError */
  readonly further?: (answer: unknown, asked: Asked) => Further | null;
  /** What is asked with `--plan` in its place, which does nothing. */
  readonly plan?: Pick<HostVerb, 'asks' | 'more' | 'says'>;
  /** What is asked in its place where nothing is to be done. */
  readonly look?: Pick<HostVerb, 'asks' | 'more' | 'says' | 'picks'> & {
    readonly isMeant: (given: Given) => boolean;
  };
}

export const at = (verb: string, more = ''): string => `${verb} <directory> <process>${more}`;

/** JSON that goes to the host as it was typed. */
export function jsonOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string) => {
    try {
      JSON.parse(text);
    } catch (error) {
      throw new InvalidArgumentError(
        `It is not JSON: ${messageOf(error)}. A text needs quotes: '"like this"'`,
      );
    }
    return text;
  });
}

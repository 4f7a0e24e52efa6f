// A model's answer as its effect records it: what its message has already, the text and the calls of tools, is not written
// down a second time.

import type { Json } from '../../model/json.ts';
import type { ModelAnswer } from '../models/call-model.ts';
import { callsIn, textIn, type AskedTool } from '../models/model-answer.ts';

/** Answers that were recorded before have all of it. */
export type RecordedAnswer = Omit<ModelAnswer, 'text' | 'toolCalls'> & {
  readonly text?: string;
  readonly toolCalls?: readonly AskedTool[];
  /** What is wrong with calls that make no sense, by their places among the calls. */
  readonly problems?: Readonly<Record<string, string>>;
};

export function recordedAnswer({ text, toolCalls, ...answer }: ModelAnswer): RecordedAnswer {
  const problems = Object.fromEntries(
    toolCalls.flatMap(({ problem }, at) => (problem === undefined ? [] : [[String(at), problem]])),
  );
  return {
    ...answer,
    ...(text === textIn(answer.message) ? {} : { text }),
    ...(Object.keys(problems).length === 0 ? {} : { problems }),
  };
}

export function answerAsRecorded(recorded: RecordedAnswer): ModelAnswer {
  const { problems = {}, ...answer } = recorded;
  const { message, text = textIn(message) } = answer;
  const toolCalls =
    answer.toolCalls ??
    callsIn(message).map(({ toolCallId: id, toolName: name, input }, at): AskedTool => {
      const problem = Object.hasOwn(problems, String(at)) ? problems[String(at)] : undefined;
      return problem === undefined ? { id, name, args: input as Json } : { id, name, args: null, problem };
    });
  return { ...answer, text, toolCalls };
}

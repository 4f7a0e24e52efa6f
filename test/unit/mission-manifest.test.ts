// What a manifest may say of a mission. Whatever it accepts works; what contradicts itself, or does not work yet, is refused.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadWorkspace } from '../../core/manifest/load-workspace.ts';
import type { MissionConfig } from '../../core/model/mission.ts';
import { DEFAULT_MISSION } from '../../core/model/mission.ts';
import { tempDirectory } from '../support/temp-directory.ts';

function load(
  mission: string,
  files: Readonly<Record<string, string>> = {},
): { readonly mission: MissionConfig | null; readonly problem: string } {
  const directory = tempDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  writeFileSync(join(directory, 'a.ts'), 'export default {};');
  writeFileSync(join(directory, 'a.agent'), `name: a\nentrypoint: a.ts\n${mission}`);
  const { definitions, problems } = loadWorkspace(directory);
  return { mission: definitions[0]?.config.mission ?? null, problem: problems[0]?.message ?? '' };
}

test('Promptise’s keys and defaults, and our own under holdfast', () => {
  expect(load('').mission).toBeNull();
  expect(load('mission:\n  objective: ship').mission).toEqual({ ...DEFAULT_MISSION, objective: 'ship' });
  expect(
    load(`mission:
  enabled: true
  objective: ship
  success_criteria: none is open
  eval_every: 3
  confidence_threshold: 0.9
  timeout_hours: 1.5
  max_invocations: 30
  auto_complete: false
  on_complete: suspend
  escalation: { event_type: mission.trouble }
  holdfast:
    judge_timeout: 5
    judge_retries: 0
    judge_backoff: 0.5
    judge_cost: 0
    drift_after: 600
`).mission,
  ).toEqual({
    objective: 'ship',
    successCriteria: 'none is open',
    evalModel: null,
    evalEvery: 3,
    confidenceThreshold: 0.9,
    timeoutMs: 5_400_000,
    maxInvocations: 30,
    autoComplete: false,
    onComplete: 'suspend',
    escalation: { webhookUrl: null, eventType: 'mission.trouble' },
    judgeTimeoutMs: 5_000,
    judgeRetries: 0,
    judgeBackoffMs: 500,
    judgeCost: 0,
    driftAfterMs: 600_000,
  });
  expect(load('mission:\n  enabled: false\n  objective: ship').mission).toBeNull();
  expect(load('mission:\n  enabled: false').problem).toBe('');
});

test('a model that judges: as models are named, and a script only where it is one of the workspace', () => {
  const evalModel = (
    name: string,
    script = 'turns: []',
  ): { model: string | null | undefined; problem: string } => {
    const { mission, problem } = load(`mission:\n  objective: ship\n  eval_model: ${name}`, {
      'judge.yaml': script,
    });
    return { model: mission?.evalModel, problem };
  };
  expect(evalModel('" openai:gpt-5-mini "').model).toBe('openai:gpt-5-mini');
  expect(evalModel('openai-compatible:llama@http://localhost:1/v1/').model).toBe(
    'openai-compatible:llama@http://localhost:1/v1',
  );
  expect(evalModel('scripted:./judge.yaml').model).toBe('scripted:./judge.yaml');
  expect(evalModel('null').model).toBeNull();
  expect(evalModel('scripted:other.yaml').problem).toMatch(
    /names the script other\.yaml, which can't be read: ENOENT/,
  );
  expect(evalModel('scripted:.').problem).toMatch(/it is no file/);
  expect(evalModel('scripted:../judge.yaml').problem).toMatch(/not inside the workspace/);
  expect(evalModel('cohere:command').problem).toMatch(
    /"cohere".*There are openai, anthropic, google, mistral/,
  );
  expect(evalModel('openai-compatible:llama').problem).toMatch(/eval_model: .*says not where the model is/);
  expect(evalModel('7').problem).toMatch(/mission\.eval_model/);
});

test.each([
  ['no objective', 'enabled: true', /mission\.objective: a mission needs one/],
  ['an empty one', 'objective: "  "', /mission\.objective: a mission needs one/],
  [
    'a judge model',
    'objective: x\n  eval_model: gpt',
    /eval_model: "gpt" names no model.*Providers: openai, anthropic/,
  ],
  ['zero runs between', 'objective: x\n  eval_every: 0', /mission\.eval_every/],
  ['half a run', 'objective: x\n  eval_every: 1.5', /mission\.eval_every/],
  ['sure beyond one', 'objective: x\n  confidence_threshold: 1.1', /mission\.confidence_threshold/],
  ['not a number', 'objective: x\n  confidence_threshold: .nan', /mission\.confidence_threshold/],
  ['a negative time', 'objective: x\n  timeout_hours: -1', /mission\.timeout_hours/],
  ['an endless time', 'objective: x\n  timeout_hours: .inf', /mission\.timeout_hours/],
  ['far too long', 'objective: x\n  timeout_hours: 90000', /timeout_hours: a year at most/],
  ['negative runs', 'objective: x\n  max_invocations: -2', /mission\.max_invocations/],
  [
    'another end',
    'objective: x\n  on_complete: explode',
    /mission\.on_complete.*"stop"\|"continue"\|"suspend"/,
  ],
  ['an unknown key', 'objective: x\n  goal: y', /mission has "goal".*there are enabled, objective/],
  [
    'an unknown key of ours',
    'objective: x\n  holdfast: { patience: 1 }',
    /mission\.holdfast has "patience".*judge_timeout/,
  ],
  [
    'no time for the judge',
    'objective: x\n  holdfast: { judge_timeout: 0 }',
    /mission\.holdfast\.judge_timeout/,
  ],
  ['nobody to tell', 'objective: x\n  escalation: {}', /mission\.escalation: names nobody to tell/],
  [
    'never judged',
    'objective: x\n  eval_every: 10\n  max_invocations: 3',
    /eval_every: it would be judged after every 10 runs, and max_invocations lets it have 3/,
  ],
  [
    'a judge that outlasts it',
    'objective: x\n  timeout_hours: 0.01\n  holdfast: { judge_timeout: 60 }',
    /judge_timeout: a judge may take 60 seconds, which is more than the whole mission/,
  ],
  [
    'a drift that never shows',
    'objective: x\n  timeout_hours: 1\n  holdfast: { drift_after: 7200 }',
    /drift_after: it would drift after 7200 seconds, and has failed by then/,
  ],
])('[C25] refused: %s', (_, text, message) => {
  const { mission, problem } = load(`mission:\n  ${text}`);
  expect(mission).toBeNull();
  expect(problem).toMatch(message);
});

test('what the judge costs is said in one place', () => {
  const { problem } = load(
    'mission:\n  objective: x\nbudget:\n  tool_costs: { mission.judge: { cost_weight: 3 } }',
  );
  expect(problem).toMatch(/tool_costs: what mission\.judge costs is said by mission\.holdfast\.judge_cost/);
});

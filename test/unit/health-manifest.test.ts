// Health as manifests say it: Promptise's keys and defaults, and one clear error for each slip.

import { expect, test } from 'vitest';
import { loadWorkspace } from '../../core/manifest/load-workspace.ts';
import { DEFAULT_HEALTH, onAll, type HealthConfig } from '../../core/model/health.ts';
import { workspaceOf } from '../support/run-host.ts';

const withHealth = (health: string) =>
  loadWorkspace(workspaceOf({ clerk: '' }, `health:\n${health.trim().replaceAll(/^/gm, '  ')}\n`));

function configOf(health: string): HealthConfig {
  const { definitions, problems } = withHealth(health);
  expect(problems).toEqual([]);
  return definitions[0]!.config.health;
}

test('without the section nothing is watched; with it all is, with the defaults of Promptise', () => {
  const { definitions } = loadWorkspace(workspaceOf({ clerk: '' }, ''));
  expect(definitions[0]!.config.health).toEqual(DEFAULT_HEALTH);
  expect(DEFAULT_HEALTH.isEnabled).toBe(false);
  expect(configOf('enabled: true')).toEqual({ ...DEFAULT_HEALTH, isEnabled: true });
  expect(configOf('stuck_threshold: 3')).toEqual({ ...DEFAULT_HEALTH, isEnabled: true });
  expect(configOf('enabled: false\nstuck_threshold: 3')).toEqual(DEFAULT_HEALTH);
});

test('every key', () => {
  expect(
    configOf(`
enabled: true
stuck_threshold: 4
loop_window: 30
loop_min_repeats: 3
empty_threshold: 5
empty_max_chars: 0
error_window: 20
error_rate_threshold: 0.25
on_anomaly: pause
cooldown: 60
escalation: { webhook_url: "https://example.com/alarm", event_type: unwell }
holdfast:
  error_min_runs: 5
  silent_after: 90
  slow_percentile: 95
  slow_min_samples: 50
  slow_after: 2.5
  on_anomaly: { high_error_rate: escalate, slow: stop }`),
  ).toEqual({
    isEnabled: true,
    stuckThreshold: 4,
    loopWindow: 30,
    loopMinRepeats: 3,
    emptyThreshold: 5,
    emptyMaxChars: 0,
    errorWindow: 20,
    errorMinRuns: 5,
    errorRateThreshold: 0.25,
    silentAfterMs: 90_000,
    slow: { percentile: 95, minSamples: 50, minMs: 2_500 },
    onAnomaly: { ...onAll('pause'), high_error_rate: 'escalate', slow: 'stop' },
    cooldownMs: 60_000,
    escalation: { webhookUrl: 'https://example.com/alarm', eventType: 'unwell' },
  });
  expect(configOf('holdfast: { silent_after: null, slow: false }')).toMatchObject({
    silentAfterMs: null,
    slow: null,
  });
});

test('what is slow is told, and acted on only where that is asked for; a window is to be full unless said otherwise', () => {
  expect(configOf('on_anomaly: stop').onAnomaly).toEqual({ ...onAll('stop'), slow: 'log' });
  expect(configOf('error_window: 7').errorMinRuns).toBe(7);
});

test.each([
  ['stuck_threshold: 1', /health\.stuck_threshold: .*>=2/],
  ['stuck_threshold: -3', /health\.stuck_threshold: .*>=2/],
  ['stuck_threshold: 2.5', /health\.stuck_threshold: .*int/],
  ['stuck_threshold: 1000000', /health\.stuck_threshold: .*<=200/],
  ['stuck_threshold: .nan', /health\.stuck_threshold: .*NaN/],
  ['loop_window: 3', /health\.loop_window: .*>=4/],
  ['loop_min_repeats: 1', /health\.loop_min_repeats: .*>=2/],
  ['empty_threshold: 0', /health\.empty_threshold: .*>=2/],
  ['empty_threshold: 51', /health\.empty_threshold: .*<=50/],
  ['empty_max_chars: -1', /health\.empty_max_chars: .*>=0/],
  ['error_window: 1', /health\.error_window: .*>=2/],
  ['error_window: "10"', /health\.error_window: .*expected number/],
  ['error_rate_threshold: 0', /health\.error_rate_threshold: .*>0/],
  ['error_rate_threshold: 50', /health\.error_rate_threshold: .*<=1/],
  ['error_rate_threshold: .inf', /health\.error_rate_threshold: /],
  ['cooldown: -1', /health\.cooldown: .*>=0/],
  ['cooldown: 1e12', /health\.cooldown: .*<=31536000/],
  ['on_anomaly: explode', /health\.on_anomaly: .*"log"\|"pause"\|"escalate"\|"stop"/],
  ['holdfast: { silent_after: 0 }', /health\.holdfast\.silent_after: .*>=1/],
  ['holdfast: { slow_percentile: 100 }', /health\.holdfast\.slow_percentile: .*<=99\.9/],
  ['holdfast: { slow_min_samples: 0 }', /health\.holdfast\.slow_min_samples: .*>=5/],
  ['holdfast: { on_anomaly: { stuck: maybe } }', /health\.holdfast\.on_anomaly\.stuck: .*"log"/],
  [
    'loop_window: 8\nloop_min_repeats: 5',
    /health\.loop_min_repeats: 5 repeats of at least 2 calls are more than the 8 of loop_window/,
  ],
  [
    'error_window: 4\nholdfast: { error_min_runs: 5 }',
    /health\.holdfast\.error_min_runs: 5 runs are more than the 4 of error_window/,
  ],
  [
    'holdfast: { silent_after: null, on_anomaly: { silent: pause } }',
    /health\.holdfast\.on_anomaly\.silent: silence is not looked for/,
  ],
  [
    'holdfast: { slow: false, slow_percentile: 90 }',
    /health\.holdfast\.slow_percentile: what is slow is not looked for/,
  ],
  [
    'holdfast: { slow: false, on_anomaly: { slow: log } }',
    /health\.holdfast\.on_anomaly\.slow: what is slow is not looked for/,
  ],
  ['escalation: { event_type: x }', /health\.escalation: names whom to tell, and nothing would ever be told/],
  ['on_anomaly: escalate\nescalation: {}', /health\.escalation: names nobody to tell/],
  [
    'stuck_treshold: 3',
    /health has "stuck_treshold", which is not a setting; there are enabled, stuck_threshold, /,
  ],
  [
    'holdfast: { silent: 3 }',
    /health\.holdfast has "silent", which is not a setting; there are .*silent_after/,
  ],
  [
    'holdfast: { on_anomaly: { emtpy: log } }',
    /health\.holdfast\.on_anomaly has "emtpy", which is not a setting; there are stuck, loop, empty_response, /,
  ],
])('%j is one clear error', (health, message) => {
  const { definitions, problems } = withHealth(health);
  expect(definitions).toEqual([]);
  expect(problems.map(({ code }) => code)).toEqual(['manifest.invalid']);
  expect(problems[0]!.message).toMatch(message);
  expect(problems[0]!.detail['problems']).toHaveLength(1);
});

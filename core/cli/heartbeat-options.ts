// The options of `holdfast run` for saying somewhere else that this host is alive.

import { InvalidArgumentError, Option } from 'commander';
import {
  DEFAULT_EVERY_SECONDS,
  heartbeatInEnvironment,
  heartbeatOf,
  type HeartbeatConfig,
} from '../host/outgoing-heartbeat.ts';
import { messageOf } from '../model/errors.ts';

export interface HeartbeatGiven {
  readonly heartbeatUrl?: string;
  readonly heartbeatEvery?: string;
  readonly heartbeatPrivate?: boolean;
}

export function heartbeatOptions(): readonly Option[] {
  return [
    new Option(
      '--heartbeat-url <url>',
      'say there every so often that this host is alive; else HOLDFAST_HEARTBEAT_URL',
    ),
    new Option(
      '--heartbeat-every <seconds>',
      `how often; else HOLDFAST_HEARTBEAT_EVERY, else ${DEFAULT_EVERY_SECONDS}`,
    ),
    new Option(
      '--heartbeat-private',
      'allow that address to be a private one; else HOLDFAST_HEARTBEAT_PRIVATE=1',
    ),
  ];
}

/**
 * What was typed goes before what the environment says.
 * @throws InvalidArgumentError
 */
export function heartbeatGiven({
  heartbeatUrl,
  heartbeatEvery,
  heartbeatPrivate,
}: HeartbeatGiven): HeartbeatConfig | null {
  const asked = heartbeatInEnvironment();
  try {
    return heartbeatOf({
      url: heartbeatUrl ?? asked.url,
      every: heartbeatEvery ?? asked.every,
      allowPrivate: heartbeatPrivate ?? asked.allowPrivate,
    });
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

// What wakes a process, as its manifest says it: Promptise's fields and defaults, durations in milliseconds.

/**
 * What becomes of scheduled times that nobody was there for. `skip`: nothing; `once`: one event for all of them; `all`:
 * one for each.
 */
export const MISSED_POLICIES = ['skip', 'once', 'all'] as const;
export type MissedPolicy = (typeof MISSED_POLICIES)[number];

export const SIGNATURE_SCHEMES = ['generic', 'github', 'stripe'] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

export const FILE_EVENTS = ['created', 'modified', 'deleted', 'moved'] as const;
export type FileEvent = (typeof FILE_EVENTS)[number];

interface Filtered {
  /** In Promptise's language; null lets everything through. */
  readonly filter: string | null;
}

/** Written where Promptise writes it: five fields, or six with the seconds last. */
export interface CronTriggerConfig extends Filtered {
  readonly type: 'cron';
  readonly cronExpression: string;
  /** IANA name; UTC unless given. */
  readonly cronTimezone: string;
  readonly missed: MissedPolicy;
}

export interface ManualTriggerConfig {
  readonly type: 'manual';
}

/** What other processes emit. */
export interface EventTriggerConfig extends Filtered {
  readonly type: 'event';
  /** May hold `*` and `?`. */
  readonly eventType: string;
  /** The process that emits it; null for any. */
  readonly eventSource: string | null;
}

/** What other processes send. */
export interface MessageTriggerConfig extends Filtered {
  readonly type: 'message';
  /** May hold `*` and `?`. */
  readonly topic: string;
}

export interface WebhookTriggerConfig extends Filtered {
  readonly type: 'webhook';
  readonly host: string;
  /** 1025 to 65535. */
  readonly port: number;
  /** Begins with a slash. */
  readonly path: string;
  /** Null where nothing is signed. Never in a journal, a log or the contract. */
  readonly secret: string | null;
  readonly scheme: SignatureScheme;
  /** Lower case; null for that of the scheme. */
  readonly signatureHeader: string | null;
  /** How old a signature with a time in it may be. */
  readonly toleranceMs: number;
  /** Addresses and CIDR ranges of who may call; empty for anybody. */
  readonly allowedSources: readonly string[];
  readonly maxBodyBytes: number;
}

export interface FileWatchTriggerConfig extends Filtered {
  readonly type: 'file_watch';
  /** An absolute path of a directory. */
  readonly path: string;
  /** Globs on the file's name. */
  readonly patterns: readonly string[];
  readonly events: readonly FileEvent[];
  readonly debounceMs: number;
  /** Looks again and again instead of being told, for network disks; null: as the disk seems to need it. */
  readonly polling: boolean | null;
}

export type TriggerConfig =
  | CronTriggerConfig
  | ManualTriggerConfig
  | EventTriggerConfig
  | MessageTriggerConfig
  | WebhookTriggerConfig
  | FileWatchTriggerConfig;

import type { CapBook } from '../governance/cap-book.ts';
import type { SecretVault } from '../governance/secret-vault.ts';
import type { SourcePlaces } from '../governance/secret-sources.ts';
import type { Post } from '../governance/webhook-post.ts';
import type { SentMessage } from '../model/messages.ts';
import type { Clock, Ids, JournalProvider, WorkerHost } from '../model/ports.ts';
import type { WorkspaceSwitch } from '../model/trigger-record.ts';
import type { WebhookServers } from '../triggers/webhook-servers.ts';
import type { Family } from './family.ts';
import type { ModelJudges } from './model-judges.ts';
import type { Delivery } from './switchboard.ts';
import type { WorkerPermits } from './worker-permits.ts';

/** What a process has from its host, the same for all of them. */
export interface ProcessDependencies {
  readonly journal: JournalProvider;
  readonly workerHost: WorkerHost;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Begins idempotency keys. */
  readonly journalId: string;
  readonly permits: WorkerPermits;
  /** Of all processes of the host. */
  readonly servers: WebhookServers;
  /** Why the disk of a folder gives no hints of what changes on it; null for one that does. */
  readonly needsPolling: (path: string) => string | null;
  /** Limits on all processes together. */
  readonly caps: CapBook;
  /** What the host knows of secrets, which stands in nothing that is written [J10]. */
  readonly vault: SecretVault;
  readonly places: SourcePlaces;
  /** Brings a message to all who listen [S38]. */
  readonly deliver: (sender: string, message: SentMessage) => Promise<Delivery>;
  /** How the one switch for all triggers stands; null where nobody ever touched it. */
  readonly triggerSwitch: () => WorkspaceSwitch | null;
  /** The processes that processes began. */
  readonly family: Family;
  /** Where judges come from that are models. */
  readonly modelJudges: ModelJudges;
  /** Tells a receiver on the web something. */
  readonly post: Post;
  /** Somebody outside could not be told what is wrong, and is not told any more. */
  readonly onUntold: (message: string) => void;
  readonly onChange: (name: string) => void;
}

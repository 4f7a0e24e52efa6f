import { Envelope, Feed, FolderOpen, GlobeNetwork, Hand, Time } from '@blueprintjs/icons';
import { visibleLine } from '../../ui/visible-text.ts';

const WORDS: Readonly<Record<string, string>> = {
  cron: 'Schedule',
  webhook: 'Webhook',
  file_watch: 'Folder',
  event: 'Event',
  message: 'Message',
  manual: 'By hand',
};

/** A kind of trigger in a word; what this version does not know, as the host calls it. */
export function kindWord(type: string): string {
  return Object.hasOwn(WORDS, type) ? WORDS[type]! : visibleLine(type);
}

/** Decoration: the word always stands beside it. */
export function KindIcon({ type }: { readonly type: string }) {
  switch (type) {
    case 'cron':
      return <Time size={14} />;
    case 'webhook':
      return <GlobeNetwork size={14} />;
    case 'file_watch':
      return <FolderOpen size={14} />;
    case 'event':
      return <Feed size={14} />;
    case 'message':
      return <Envelope size={14} />;
    case 'manual':
      return <Hand size={14} />;
    default:
      return null;
  }
}

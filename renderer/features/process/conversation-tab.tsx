import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { Said } from '../../ui/said.tsx';
import { SectionHead } from '../../ui/section-head.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { Delivered, Inbox } from './inbox.tsx';
import { LiveTurn } from './live-turn.tsx';

/**
 * What the agent has to read, a place to write more, what is going on, what was delivered and answered, and what was said.
 * Whoever writes is not pushed about by a turn that grows: it stands below.
 */
export function ConversationTab({ detail }: { readonly detail: ProcessDetail }) {
  const { messages, count } = detail.conversation;
  return (
    <div className="hf-sections">
      <Inbox detail={detail} />
      <LiveTurn detail={detail} />
      <Delivered messages={detail.inboxRead} />
      <section aria-label="Conversation">
        <SectionHead title="Conversation" shown={messages.length} of={count} />
        {messages.length === 0 ? (
          <p className="hf-muted">Nothing was said yet.</p>
        ) : (
          <ol className="hf-plain hf-messages">
            {messages.map(({ role, text }, at) => (
              <li key={count - messages.length + at}>
                <span className="hf-desk-title">{visibleLine(role) || 'nobody named'}</span>
                <Said text={text} />
              </li>
            ))}
          </ol>
        )}
        <ShownOf shown={messages.length} of={count} what="messages, the newest" />
      </section>
    </div>
  );
}

import type { ProcessDetail } from '../../../core/contract/views.ts';
import { Said } from '../../ui/said.tsx';
import { SectionHead } from '../../ui/section-head.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { Inbox } from './inbox.tsx';
import { LiveTurn } from './live-turn.tsx';

/** What is going on, what people wrote to the agent and what it answered, a place to write more, and what was said. */
export function ConversationTab({ detail }: { readonly detail: ProcessDetail }) {
  const { messages, count } = detail.conversation;
  return (
    <div className="hf-sections">
      <LiveTurn detail={detail} />
      <Inbox detail={detail} />
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

import { Button, HTMLSelect } from '@blueprintjs/core';
import { useState, type FormEvent, type KeyboardEvent } from 'react';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import {
  INBOX_PRIORITIES,
  INBOX_TYPES,
  MAX_INBOX_LENGTH,
  type InboxPriority,
  type InboxType,
} from '../../../core/model/inbox.ts';
import { useActionsOff, useConsole } from '../../app/console-context.ts';
import { targetOf } from '../../stores/target.ts';
import { countText } from '../../ui/numbers.ts';
import { Said } from '../../ui/said.tsx';
import { SectionHead } from '../../ui/section-head.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { DeskItem } from './desk.tsx';

/** What people wrote to the agent and its next invocation reads, and a place to write more. */
export function Inbox({ detail: { row, inbox } }: { readonly detail: ProcessDetail }) {
  return (
    <section aria-label="Inbox">
      <SectionHead title="Inbox" />
      {inbox.length === 0 ? (
        <p className="hf-muted">Nothing waits to be read.</p>
      ) : (
        <ul className="hf-plain hf-letters">
          {inbox.map((message) => (
            <DeskItem
              key={message.messageId}
              title={
                <>
                  {visibleLine(message.messageType)}
                  {message.priority !== 'normal' && (
                    <span className="hf-flag hf-flag-attention">{visibleLine(message.priority)}</span>
                  )}
                </>
              }
              about={
                <>
                  from {visibleLine(message.sender) || 'nobody named'} ·{' '}
                  <Ago at={message.createdAt} long suffix=" ago" />
                  {message.expiresAt !== null && (
                    <>
                      {' '}
                      · expires <Until at={message.expiresAt} />
                    </>
                  )}
                </>
              }
            >
              <Said text={message.content} />
            </DeskItem>
          ))}
        </ul>
      )}
      {row.live && <WriteForm row={row} />}
    </section>
  );
}

/** What its invocations got, newest first, each with what was answered. */
export function Delivered({ messages }: { readonly messages: ProcessDetail['inboxRead'] }) {
  if (messages.length === 0) return null;
  return (
    <section aria-label="Delivered">
      <SectionHead title="Delivered" />
      <ul className="hf-plain hf-letters">
        {messages.map((message) => {
          const { messageId, messageType, sender, deliveredAt, invocation, content, answer } = message;
          return (
            <DeskItem
              key={messageId}
              title={visibleLine(messageType)}
              about={
                <>
                  from {visibleLine(sender) || 'nobody named'} · delivered{' '}
                  <Ago at={deliveredAt} long suffix=" ago" /> to invocation {countText(invocation)}
                </>
              }
            >
              <Said text={content} />
              {answer !== null ? (
                <>
                  <div className="hf-muted">
                    Answered <Ago at={answer.at} long suffix=" ago" />
                  </div>
                  <Said text={answer.text} />
                </>
              ) : (
                messageType === 'question' && <div className="hf-muted">Not answered.</div>
              )}
            </DeskItem>
          );
        })}
      </ul>
    </section>
  );
}

const EXPIRIES: readonly (readonly [string, number | null])[] = [
  ['never expires', null],
  ['expires in an hour', 3_600],
  ['expires in a day', 86_400],
];

function WriteForm({ row }: { readonly row: ProcessRow }) {
  const { actions } = useConsole();
  const off = useActionsOff(targetOf(row));
  const [content, setContent] = useState('');
  const [messageType, setType] = useState<InboxType>('directive');
  const [priority, setPriority] = useState<InboxPriority>('normal');
  const [expiry, setExpiry] = useState<number | null>(null);
  const ready = !off && content.trim() !== '';
  const send = async (): Promise<void> => {
    if (!ready) return;
    const sent = content;
    const arrived = await actions.write(row, {
      messageType,
      content: sent.trim(),
      priority,
      expiresInSeconds: expiry,
    });
    // What was not taken stays, and so does what was typed meanwhile.
    if (arrived) setContent((now) => (now === sent ? '' : now));
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void send();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || (!event.ctrlKey && !event.metaKey)) return;
    event.preventDefault();
    void send();
  };
  return (
    <form className="hf-write" aria-label="Write to the agent" onSubmit={onSubmit}>
      <TextField
        label="Write to the agent"
        value={content}
        onChange={setContent}
        hint={`Its next invocation reads it, once. ${countText(MAX_INBOX_LENGTH - content.length)} characters left.`}
        rows={3}
        maxLength={MAX_INBOX_LENGTH}
        onKeyDown={onKeyDown}
      />
      <div className="hf-write-end">
        <HTMLSelect
          aria-label="Kind"
          options={[...INBOX_TYPES]}
          value={messageType}
          onChange={({ currentTarget }) =>
            setType(INBOX_TYPES.find((type) => type === currentTarget.value) ?? 'directive')
          }
        />
        <HTMLSelect
          aria-label="Priority"
          options={INBOX_PRIORITIES.map((value) => ({ value, label: `${value} priority` }))}
          value={priority}
          onChange={({ currentTarget }) =>
            setPriority(INBOX_PRIORITIES.find((one) => one === currentTarget.value) ?? 'normal')
          }
        />
        <HTMLSelect
          aria-label="Expiry"
          options={EXPIRIES.map(([label], at) => ({ value: String(at), label }))}
          value={String(EXPIRIES.findIndex(([, seconds]) => seconds === expiry))}
          onChange={({ currentTarget }) => setExpiry(EXPIRIES[Number(currentTarget.value)]?.[1] ?? null)}
        />
        <Button type="submit" intent="primary" disabled={!ready}>
          Write to {visibleLine(row.name)}
        </Button>
      </div>
    </form>
  );
}

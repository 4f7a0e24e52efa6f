import { Button, Dialog, DialogFooter } from '@blueprintjs/core';
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useConsole, useSilent } from '../../app/console-context.ts';
import { Bounded } from '../../ui/bounded.tsx';
import { cutMiddle } from '../../ui/numbers.ts';
import { ReasonField } from './reason-field.tsx';

interface Asking {
  readonly presets: readonly string[];
  readonly required: boolean;
  /** What becomes of it, where that is not the usual. */
  readonly hint?: string;
}

interface Props {
  readonly title: string;
  /** Verb and object: "Stop market-watcher". */
  readonly confirm: string;
  /** What leaving it is called. */
  readonly cancel?: string;
  readonly danger: boolean;
  /** Why it is done; null where that is not asked. */
  readonly why: Asking | null;
  /** What was given before, when that answer was refused. */
  readonly reasonBefore?: string;
  /** What else keeps it from being done, and what to do about it; null for nothing. */
  readonly missing: string | null;
  /** For what needs more room than a few sentences. */
  readonly wide?: boolean;
  readonly onConfirm: (reason: string) => void;
  readonly children: ReactNode;
  /** News about the question, in sight however long the rest is. */
  readonly news?: ReactNode;
}

const NO_REASON = 'Give a reason first.';
/** More of a name does not help on a button, and the title has all of it. */
const MOST_LABEL = 48;

/**
 * A question before an action. The focus is on Cancel, and only Ctrl or ⌘ with Enter submits from the keyboard. What is
 * missing is said beside the button; who tries all the same is led to it.
 */
export function QuestionDialog(props: Props) {
  const { title, confirm, danger, why, wide = false, children, news } = props;
  const { actions } = useConsole();
  const silent = useSilent();
  const [reason, setReason] = useState(props.reasonBefore ?? '');
  const [tried, setTried] = useState(false);
  const content = useRef<HTMLDivElement>(null);
  const body = useId();
  const hasNews = news !== undefined && news !== null && news !== false;
  const label = cutMiddle(confirm, MOST_LABEL);
  const said = reason.trim();
  const hint = why === null ? '' : (why.hint ?? hintOf(why));
  const reasonMissing = why?.required === true && said === '';
  const missing = silent
    ? 'The host does not answer. What you entered stays.'
    : (props.missing ?? (reasonMissing ? NO_REASON : null));

  const submit = (): void => {
    if (missing === null) {
      props.onConfirm(said);
      return;
    }
    setTried(true);
    unfinished(content.current)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || (!event.ctrlKey && !event.metaKey)) return;
    event.preventDefault();
    // Not the affair of the button that has the focus, which would press itself.
    event.stopPropagation();
    submit();
  };
  return (
    <Dialog
      isOpen
      title={title}
      titleTagName="h2"
      role="alertdialog"
      aria-describedby={body}
      isCloseButtonShown={false}
      canOutsideClickClose={false}
      onClose={() => actions.cancel()}
      className={wide ? 'hf-dialog hf-dialog-wide' : 'hf-dialog'}
    >
      {/* The overlay is a live region: what ticks in a question would be announced with every tick. */}
      <div onKeyDownCapture={onKeyDown} role="presentation" aria-live="off">
        <div className="hf-dialog-content" ref={content}>
          <Bounded label={title} className="bp6-dialog-body bp6-dialog-body-scroll-container">
            <div id={body}>{children}</div>
          </Bounded>
          {(why !== null || hasNews) && (
            <div className="hf-dialog-below">
              {why !== null && (
                <ReasonField
                  presets={why.presets}
                  value={reason}
                  onChange={setReason}
                  required={why.required}
                  hint={hint}
                  problem={tried && reasonMissing ? hint : null}
                />
              )}
              {news}
            </div>
          )}
        </div>
        <DialogFooter
          actions={
            <>
              <Button autoFocus onClick={() => actions.cancel()}>
                {props.cancel ?? 'Cancel'}
              </Button>
              <Button
                intent={danger ? 'danger' : 'primary'}
                disabled={missing !== null}
                {...(label === confirm ? {} : { title: confirm })}
                onClick={submit}
              >
                {label}
              </Button>
            </>
          }
        >
          <span role="status" className={tried && missing !== null ? 'hf-alarm-text' : 'hf-muted'}>
            {missing ?? 'Ctrl or ⌘ + Enter confirms'}
          </span>
        </DialogFooter>
      </div>
    </Dialog>
  );
}

function hintOf({ required }: Asking): string {
  return required
    ? 'Required. It goes into the journal before anything happens.'
    : 'Goes into the journal, if you give one.';
}

/** The first field that keeps the question from being answered. */
function unfinished(content: HTMLElement | null): HTMLElement | undefined {
  const fields = content?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea') ?? [];
  return [...fields].find(
    (field) =>
      field.getAttribute('aria-invalid') === 'true' ||
      (field.getAttribute('aria-required') === 'true' && field.value.trim() === ''),
  );
}

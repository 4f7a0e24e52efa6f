import { Button, Dialog, DialogBody, DialogFooter } from '@blueprintjs/core';
import { useId, type KeyboardEvent, type ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** Verb and object: "Stop market-watcher". */
  readonly confirm: string;
  readonly danger: boolean;
  /** Off while something that is required is missing. */
  readonly ready: boolean;
  /** For what needs more room than a few sentences. */
  readonly wide?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
  /** What has to be filled in, in sight however long the rest is. */
  readonly below?: ReactNode;
}

/** A question before an action. The focus is on Cancel, and only Ctrl or ⌘ with Enter submits from the keyboard. */
export function QuestionDialog({
  title,
  confirm,
  danger,
  ready,
  wide = false,
  onConfirm,
  onCancel,
  children,
  below,
}: Props) {
  const body = useId();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || (!event.ctrlKey && !event.metaKey)) return;
    event.preventDefault();
    if (ready) onConfirm();
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
      onClose={onCancel}
      className={wide ? 'hf-dialog hf-dialog-wide' : 'hf-dialog'}
    >
      <div onKeyDown={onKeyDown} role="presentation">
        <div className="hf-dialog-content">
          <DialogBody>
            <div id={body}>{children}</div>
          </DialogBody>
          {below !== undefined && <div className="hf-dialog-below">{below}</div>}
        </div>
        <DialogFooter
          actions={
            <>
              <Button autoFocus onClick={onCancel}>
                Cancel
              </Button>
              <Button intent={danger ? 'danger' : 'primary'} disabled={!ready} onClick={onConfirm}>
                {confirm}
              </Button>
            </>
          }
        >
          <span className="hf-muted">Ctrl or ⌘ + Enter confirms</span>
        </DialogFooter>
      </div>
    </Dialog>
  );
}

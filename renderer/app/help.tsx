import { Button, Dialog, DialogBody } from '@blueprintjs/core';
import { Help as HelpIcon } from '@blueprintjs/icons';
import { useEffect, useState } from 'react';
import { isTyping } from '../ui/keys.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'Filter the fleet'],
  ['j  k  ↓  ↑', 'Next or previous row, or thing that waits'],
  ['g  G', 'First or last row'],
  ['Enter', 'Open the selected process'],
  ['Esc', 'Back out of the innermost layer'],
  ['Ctrl or ⌘ + Enter', 'Confirm a dialog'],
  ['?', 'These keys'],
];

/** The keys, for whoever asks. None of them does anything that can't be taken back. */
export function Help() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <Button
        variant="minimal"
        size="small"
        icon={<HelpIcon />}
        aria-label="Keys"
        title="Keys ( ? )"
        onClick={() => setOpen(true)}
      />
      <Dialog
        isOpen={open}
        title="Keys"
        titleTagName="h2"
        onClose={() => setOpen(false)}
        className="hf-dialog"
      >
        <DialogBody>
          <dl className="hf-keys">
            {KEYS.map(([keys, does]) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <p className="hf-muted">No single key stops, kills or deletes anything.</p>
        </DialogBody>
      </Dialog>
    </>
  );
}

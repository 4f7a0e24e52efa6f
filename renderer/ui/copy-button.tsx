import { Button } from '@blueprintjs/core';
import { Duplicate } from '@blueprintjs/icons';
import { useState } from 'react';

interface Props {
  /** What is copied: raw, whatever is shown. */
  readonly text: string;
  /** "Copy the key of charge_card". */
  readonly label: string;
}

/** Copies a text and says whether that went well. */
export function CopyButton({ text, label }: Props) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'refused'>('no');
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied('yes'),
      () => setCopied('refused'),
    );
  };
  return (
    <span className="hf-copy">
      <Button
        variant="minimal"
        size="small"
        icon={<Duplicate size={12} />}
        aria-label={label}
        title={label}
        onClick={copy}
      />
      <span role="status" className="hf-muted">
        {copied === 'yes' ? 'copied' : copied === 'refused' ? 'select the text to copy it' : ''}
      </span>
    </span>
  );
}

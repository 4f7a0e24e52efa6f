import { Button } from '@blueprintjs/core';
import { Duplicate } from '@blueprintjs/icons';
import { useState } from 'react';
import { visibleLine } from './visible-text.ts';

/** An error's stable code, with a button that copies it together with its sentence. */
export function FailureCode({ code, message }: { readonly code: string; readonly message: string }) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'refused'>('no');
  const copy = (): void => {
    navigator.clipboard.writeText(`${code}: ${message}`).then(
      () => setCopied('yes'),
      () => setCopied('refused'),
    );
  };
  return (
    <span className="hf-failure-code">
      <code className="hf-mono">{visibleLine(code)}</code>
      <Button
        variant="minimal"
        size="small"
        icon={<Duplicate size={12} />}
        aria-label={`Copy the error ${visibleLine(code)}`}
        onClick={copy}
      />
      <span role="status" className="hf-muted">
        {copied === 'yes' ? 'copied' : copied === 'refused' ? 'select the text to copy it' : ''}
      </span>
    </span>
  );
}

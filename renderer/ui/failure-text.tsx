import { CopyButton } from './copy-button.tsx';
import { visibleLine } from './visible-text.ts';

/** An error's stable code, with a button that copies it together with its sentence. */
export function FailureCode({ code, message }: { readonly code: string; readonly message: string }) {
  const shown = visibleLine(code);
  return (
    <span className="hf-failure-code">
      <code className="hf-mono">{shown}</code>
      <CopyButton text={`${code}: ${message}`} label={`Copy the error ${shown}`} />
    </span>
  );
}

import { Button } from '@blueprintjs/core';
import { useCallback } from 'react';
import { useStore } from 'zustand';
import type { ManifestTextView } from '../../../core/contract/manifest-views.ts';
import type { RequestOf } from '../../../core/contract/requests.ts';
import { useConsole, useSilent } from '../../app/console-context.ts';
import { draftKey } from '../../stores/manifests.ts';
import { FailedView, Skeleton } from '../../ui/state-of-view.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { ManifestEditor } from './manifest-editor.tsx';
import { useRead } from './use-read.ts';
import { useSchema } from './use-schema.ts';

type Which = RequestOf<'manifests.read'>['of'];

interface Props {
  readonly journalId: string;
  readonly of: Which;
  /** It is gone. */
  readonly onRemoved?: () => void;
}

/** A manifest that is there, to be changed or thrown away. */
export function KnownManifest({ journalId, of, onRemoved }: Props) {
  const { client } = useConsole();
  const which = JSON.stringify(of);
  const ask = useCallback(
    () => client.request('manifests.read', { journalId, of: JSON.parse(which) as Which }),
    [client, journalId, which],
  );
  const { found: read, again } = useRead(ask, which);
  if (read === null) return <Skeleton lines={10} label="Reading the manifest" />;
  if (!read.ok) {
    return <FailedView title="The manifest can’t be edited" failure={read.error} onRetry={again} />;
  }
  return (
    <Edited
      journalId={journalId}
      read={read.value}
      again={again}
      {...(onRemoved === undefined ? {} : { onRemoved })}
    />
  );
}

interface EditedProps {
  readonly journalId: string;
  readonly read: ManifestTextView;
  readonly again: () => void;
  readonly onRemoved?: () => void;
}

function Edited({ journalId, read, again, onRemoved }: EditedProps) {
  const { actions, manifests } = useConsole();
  const silent = useSilent();
  const help = useSchema();
  const { file, process, hash } = read;
  const key = draftKey(journalId, file);
  const draft = useStore(manifests.drafts, (drafts) => drafts[key]);
  // A text field knows one kind of line end.
  const saved = read.text.replaceAll('\r\n', '\n');
  const text = draft?.text ?? saved;
  const isChanged = text !== saved;
  const readAgain = (): void => {
    manifests.keep(key, null);
    again();
  };
  const remove = (): void =>
    actions.ask({
      kind: 'remove-manifest',
      journalId,
      file,
      name: process ?? file,
      isRunning: process !== null,
      expected: hash,
      onDone: () => {
        manifests.keep(key, null);
        onRemoved?.();
      },
    });
  return (
    <section className="hf-manifest" aria-label={`Manifest ${visibleLine(file)}`}>
      <p className="hf-muted">
        <code className="hf-mono">{visibleLine(file)}</code>
        {draft !== undefined && draft.expected !== hash ? ' · it was changed since you began' : ''}
      </p>
      <ManifestEditor
        journalId={journalId}
        file={file}
        text={text}
        expected={draft?.expected ?? hash}
        isChanged={isChanged}
        help={help}
        onChange={(next) =>
          manifests.keep(key, next === saved ? null : { text: next, expected: draft?.expected ?? hash })
        }
        onSaved={readAgain}
      >
        <Button disabled={silent} onClick={readAgain}>
          {isChanged ? 'Discard and read again' : 'Read again'}
        </Button>
        <Button intent="danger" variant="minimal" disabled={silent} onClick={remove}>
          Remove agent…
        </Button>
      </ManifestEditor>
    </section>
  );
}

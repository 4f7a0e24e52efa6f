import { HTMLSelect } from '@blueprintjs/core';
import { useId } from 'react';
import { useStore } from 'zustand';
import type { ManifestWrittenView } from '../../../core/contract/manifest-views.ts';
import { MANIFEST_FILE } from '../../../core/contract/names.ts';
import { useConsole } from '../../app/console-context.ts';
import { draftKey } from '../../stores/manifests.ts';
import { TextField } from '../../ui/text-field.tsx';
import { ManifestEditor } from './manifest-editor.tsx';
import { useSchema } from './use-schema.ts';

interface Props {
  readonly journalId: string;
  readonly onSaved: (written: ManifestWrittenView) => void;
}

/** A manifest that is not there yet: a template, its file, and its text. */
export function NewManifest({ journalId, onSaved }: Props) {
  const { manifests } = useConsole();
  const help = useSchema();
  const id = useId();
  const key = draftKey(journalId, null);
  const draft = useStore(manifests.drafts, (drafts) => drafts[key]);
  const text = draft?.text ?? help.templates[0]?.text ?? '';
  const file = fileOf(text);
  const keep = (next: string): void => manifests.keep(key, { text: next, expected: null });
  return (
    <div className="hf-manifest">
      <div className="hf-manifest-new">
        <div className="hf-field">
          <label htmlFor={id}>Template</label>
          <HTMLSelect
            id={id}
            value={help.templates.find((template) => template.text === text)?.name ?? ''}
            options={[
              ...help.templates.map(({ name, title }) => ({ value: name, label: title })),
              { value: '', label: 'Your own', disabled: true },
            ]}
            onChange={({ currentTarget }) => {
              const chosen = help.templates.find(({ name }) => name === currentTarget.value);
              if (chosen !== undefined) keep(chosen.text);
            }}
          />
        </div>
        <TextField
          label="Name"
          value={nameIn(text)}
          onChange={(name) => keep(withName(text, name))}
          hint={file === null ? 'Letters, digits, dots and dashes.' : `Its file is ${file}.`}
          problem={nameIn(text) !== '' && file === null ? 'No file can have this name.' : null}
        />
      </div>
      <ManifestEditor
        journalId={journalId}
        file={file}
        text={text}
        expected={null}
        isChanged
        help={help}
        onChange={keep}
        onSaved={(written) => {
          manifests.keep(key, null);
          onSaved(written);
        }}
      />
    </div>
  );
}

const NAME = /^name:[ \t]*(.*?)[ \t]*$/m;

function nameIn(text: string): string {
  return (NAME.exec(text)?.[1] ?? '').replace(/^(["'])(.*)\1$/, '$2');
}

function withName(text: string, name: string): string {
  const written = /^[A-Za-z][\w .-]*$/.test(name) || name === '' ? name : JSON.stringify(name);
  const line = `name: ${written}`;
  return NAME.test(text) ? text.replace(NAME, () => line) : `${line}\n${text}`;
}

/** Called like the process; null where no file can be. */
function fileOf(text: string): string | null {
  const file = `${nameIn(text).trim().replaceAll(/\s+/g, '-')}.agent`;
  return MANIFEST_FILE.test(file) ? file : null;
}

import { useRef, useState } from 'react';
import { MAX_SECRET_LENGTH, valueProblem } from '../../../core/model/secrets.ts';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { Refused } from '../../ui/refused.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { FrozenState } from './consequences.tsx';
import { QuestionDialog } from './question-dialog.tsx';
import { useAttempt } from './use-attempt.ts';

const ROTATE_PRESETS: readonly string[] = [
  'Regular rotation',
  'It may have leaked',
  'The provider gave a new one',
];
const REVOKE_PRESETS: readonly string[] = ['It may have leaked', 'It is not needed any more'];

/** Another value. It is never shown, goes to the host once, and is kept nowhere on this side. */
export function RotateSecretDialog({
  question: { row, secret },
}: {
  readonly question: QuestionOf<'rotate-secret'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing, forget } = useAttempt(row);
  const [value, setValue] = useState('');
  /** Another value is another command, also where nobody knows whether the first has arrived. */
  const edition = useRef(0);
  const name = visibleLine(secret.name);
  const process = visibleLine(row.name);
  const problem = value === '' ? null : valueProblem(value);
  const rotate = async (reason: string): Promise<void> => {
    // Whatever keeps the command keeps this, and by then it is empty.
    const held = { value };
    const told = { name: secret.name, edition: edition.current };
    await attempt(
      `Rotating ${name}`,
      reason,
      told,
      ({ edition: _, ...command }) => client.request('secrets.rotate', { ...command, value: held.value }),
      `${name} rotated`,
    );
    held.value = '';
  };
  return (
    <QuestionDialog
      title={`Rotate ${name} of ${process}?`}
      confirm={`Rotate ${name}`}
      danger={false}
      why={{ presets: ROTATE_PRESETS, required: true }}
      missing={
        missing ?? (value === '' ? 'Enter the new value.' : problem && 'The new value can’t be a secret.')
      }
      onConfirm={(reason) => void rotate(reason)}
      news={failure !== null && <Refused failure={failure}>Not rotated.</Refused>}
    >
      <p>
        <strong>{process}</strong> is <FrozenState row={row} />.
      </p>
      <TextField
        label="New value"
        value={value}
        onChange={(text) => {
          forget();
          edition.current += 1;
          setValue(text);
        }}
        hint="It goes to the host, and is shown nowhere."
        problem={problem === null ? null : `It can’t be a secret: ${problem}.`}
        maxLength={MAX_SECRET_LENGTH}
        required
        hidden
      />
      <ul className="hf-consequences">
        <li>
          Its code gets the new value from its next call on, without a restart, for as long as the manifest
          says.
        </li>
        <li>
          {secret.source === 'keychain'
            ? 'The keychain keeps it.'
            : `The next start takes what ${visibleLine(secret.from)} holds then: put the new value there too.`}
        </li>
      </ul>
    </QuestionDialog>
  );
}

/** Of a secret, or with null of all of them: nobody reads it any more. */
export function RevokeSecretDialog({
  question: { row, secret },
}: {
  readonly question: QuestionOf<'revoke-secret'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing } = useAttempt(row);
  const which = secret === null ? 'all secrets' : visibleLine(secret.name);
  const process = visibleLine(row.name);
  const revoke = (reason: string): void => {
    const told = { name: secret?.name ?? null };
    void attempt(
      `Revoking ${which}`,
      reason,
      told,
      (command) => client.request('secrets.revoke', command),
      `Revoked ${which}`,
    );
  };
  return (
    <QuestionDialog
      title={`Revoke ${which} of ${process}?`}
      confirm={`Revoke ${which}`}
      danger
      why={{ presets: REVOKE_PRESETS, required: true }}
      missing={missing}
      onConfirm={revoke}
      news={failure !== null && <Refused failure={failure}>Not revoked.</Refused>}
    >
      <p>
        <strong>{process}</strong> is <FrozenState row={row} />.
      </p>
      <ul className="hf-consequences">
        <li>
          Its code is refused from its next call on, until somebody rotates{' '}
          {secret === null ? 'each of them' : 'it'}, or stops and starts the process.
        </li>
        <li>
          What a worker was given before, its code may still use: kill the worker to end that. The provider
          knows nothing of it.
        </li>
      </ul>
    </QuestionDialog>
  );
}

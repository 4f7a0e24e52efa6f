import { useState } from 'react';
import type { Failure } from '../../../core/contract/define.ts';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { counted } from '../../ui/numbers.ts';
import { Refused } from '../../ui/refused.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { QuestionDialog } from '../actions/question-dialog.tsx';
import { ManifestDiff, ManifestNotes } from './manifest-diff.tsx';

const PRESETS: readonly string[] = ['Reviewed', 'A correction', 'Asked to by its owner', 'A test'];

/** One order at a time; what the host refuses is said where it was asked for. */
function useOrder(): {
  readonly isAsked: boolean;
  readonly failure: Failure | null;
  readonly give: (order: () => Promise<Failure | null>) => Promise<void>;
} {
  const { actions } = useConsole();
  const [isAsked, setAsked] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  return {
    isAsked,
    failure,
    give: async (order) => {
      setAsked(true);
      setFailure(null);
      const refused = await order();
      setAsked(false);
      if (refused === null) actions.cancel();
      else setFailure(refused);
    },
  };
}

/** Puts changes in force that were seen. */
export function ReloadDialog({ question }: { readonly question: QuestionOf<'reload'> }) {
  const { manifests } = useConsole();
  const { isAsked, failure, give } = useOrder();
  const { changes } = question;
  const [only] = changes;
  const one = changes.length === 1 ? only! : null;
  const name = one === null ? counted(changes.length, 'change') : visibleLine(one.process ?? one.file);
  const verb = one?.kind === 'removed' ? 'Remove' : one?.kind === 'added' ? 'Add' : 'Apply';
  const what = verb === 'Apply' && one !== null ? `the changes of ${name}` : name;
  return (
    <QuestionDialog
      title={`${verb} ${what}?`}
      confirm={`${verb} ${what}`}
      danger={verb === 'Remove'}
      wide
      why={{ presets: PRESETS, required: true }}
      missing={isAsked ? 'Waiting for the host.' : null}
      onConfirm={(reason) => void give(() => manifests.reload(question, reason))}
      news={failure === null ? undefined : <Refused failure={failure}>Nothing was put in force.</Refused>}
    >
      {one === null ? (
        <>
          <p>Each of these is restarted from its journal, or begins; no other process notices.</p>
          <ul className="hf-consequences">
            {changes.map(({ id, file, process, kind, lineCount }) => (
              <li key={id}>
                <strong>{visibleLine(process ?? file)}</strong>{' '}
                <span className="hf-muted">{kind === 'added' ? 'new' : counted(lineCount, 'place')}</span>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <>
          {one.kind === 'changed' && (
            <ManifestDiff label={`What changes in ${name}`} lines={one.lines} lineCount={one.lineCount} />
          )}
          <ManifestNotes notes={one.notes} />
        </>
      )}
    </QuestionDialog>
  );
}

/** Saves what was typed, and puts it in force where that was asked for. */
export function SaveManifestDialog({ question }: { readonly question: QuestionOf<'save-manifest'> }) {
  const { manifests } = useConsole();
  const { isAsked, failure, give } = useOrder();
  const { file, plan, isApplied } = question;
  const { change } = plan;
  const name = visibleLine(file);
  const verb = isApplied ? 'Save and apply' : 'Save';
  const shown = isApplied && change !== null ? change : plan;
  return (
    <QuestionDialog
      title={`${verb} ${name}?`}
      confirm={`${verb} ${name}`}
      danger={false}
      wide
      why={{ presets: PRESETS, required: true }}
      missing={isAsked ? 'Waiting for the host.' : null}
      onConfirm={(reason) => void give(() => manifests.save(question, reason))}
      news={failure === null ? undefined : <Refused failure={failure}>Not saved.</Refused>}
    >
      {plan.hash !== null && (
        <ManifestDiff label={`What changes in ${name}`} lines={shown.lines} lineCount={shown.lineCount} />
      )}
      {plan.hash !== null && shown.lineCount === 0 && (
        <p>No setting changes: what is otherwise is order, layout or comments.</p>
      )}
      {isApplied && change !== null ? (
        <ManifestNotes notes={change.notes} />
      ) : (
        <p>What is saved is not in force yet: it is shown among the changed manifests until it is applied.</p>
      )}
    </QuestionDialog>
  );
}

/** Throws a manifest away; its name is typed. */
export function RemoveManifestDialog({ question }: { readonly question: QuestionOf<'remove-manifest'> }) {
  const { manifests } = useConsole();
  const { isAsked, failure, give } = useOrder();
  const [typed, setTyped] = useState('');
  const { file, name, isRunning } = question;
  const shown = visibleLine(name);
  const isRight = typed === name;
  return (
    <QuestionDialog
      title={`Remove ${shown}?`}
      confirm={`Remove ${shown}`}
      danger
      why={{ presets: ['No longer needed', 'Replaced by another', 'Asked to by its owner'], required: true }}
      missing={isAsked ? 'Waiting for the host.' : isRight ? null : `Type ${shown} first.`}
      onConfirm={(reason) => void give(() => manifests.remove(question, reason, typed))}
      news={failure === null ? undefined : <Refused failure={failure}>Not removed.</Refused>}
    >
      <ul className="hf-consequences">
        <li>
          <code className="hf-mono">{visibleLine(file)}</code> goes into the workspace’s trash, from where it
          can be put back.
        </li>
        {isRunning && <li>{shown} is stopped: what it is doing stops before its next effect.</li>}
        <li>
          Its journal stays, listed as orphaned, and whatever is unfinished in it. A manifest of this name
          takes it up again.
        </li>
      </ul>
      <TextField
        label="Name"
        value={typed}
        onChange={setTyped}
        required
        code
        hint={`Type ${shown} to confirm.`}
        problem={typed === '' || isRight ? null : `It is called ${shown}.`}
      />
    </QuestionDialog>
  );
}

import { Button } from '@blueprintjs/core';
import { useId, useMemo, useRef, useState, type ReactNode } from 'react';
import type { ManifestPlanView, ManifestWrittenView } from '../../../core/contract/manifest-views.ts';
import { useConsole, useSilent } from '../../app/console-context.ts';
import { counted } from '../../ui/numbers.ts';
import { NotPossible } from '../../ui/refused.tsx';
import { ManifestDiff } from './manifest-diff.tsx';
import { ManifestText } from './manifest-text.tsx';
import { rangeOfLine } from './place-in-text.ts';
import { ProblemList } from './problem-list.tsx';
import { SettingHelp } from './setting-help.tsx';
import { usePlan } from './use-plan.ts';
import type { ManifestHelp } from './use-schema.ts';

interface Props {
  readonly journalId: string;
  /** Null where it has no name yet. */
  readonly file: string | null;
  readonly text: string;
  /** The hash of what it was made from; null for a new one. */
  readonly expected: string | null;
  /** Whether it is another text than that. */
  readonly isChanged: boolean;
  readonly help: ManifestHelp;
  readonly onChange: (text: string) => void;
  readonly onSaved: (written: ManifestWrittenView) => void;
  /** What else can be done, beside saving. */
  readonly children?: ReactNode;
}

/** A manifest's text, what is wrong with it, what may stand where the cursor is, and what saving it would change. */
export function ManifestEditor(props: Props) {
  const { journalId, file, text, expected, isChanged, help, onChange, onSaved } = props;
  const { actions } = useConsole();
  const silent = useSilent();
  const { plan, isOfNow } = usePlan(journalId, file, text);
  const [at, setAt] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const below = useId();
  const known = plan?.ok === true ? plan.value : null;
  const marked = useMemo(() => new Set((known?.problems ?? []).flatMap(({ line }) => line ?? [])), [known]);
  const isBehind = known !== null && isOfNow && known.hash !== expected;
  const isGood = known !== null && isOfNow && known.problems.length === 0 && !isBehind;
  const goTo = (line: number): void => {
    const area = field.current;
    if (area === null) return;
    const [start, end] = rangeOfLine(text, line);
    area.focus();
    area.setSelectionRange(start, end);
    const height = area.scrollHeight / Math.max(1, text.split('\n').length);
    area.scrollTop = Math.max(0, (line - 3) * height);
    setAt(start);
  };
  const save = (isApplied: boolean) => (): void => {
    if (known === null || file === null) return;
    actions.ask({
      kind: 'save-manifest',
      journalId,
      file,
      text,
      plan: known,
      expected,
      isApplied,
      onDone: onSaved,
    });
  };
  return (
    <div className="hf-manifest-editor">
      <div className="hf-manifest-main">
        <ManifestText
          label="Manifest"
          text={text}
          onChange={onChange}
          marked={marked}
          describedBy={below}
          onPlace={setAt}
          field={field}
        />
        <div id={below} className="hf-manifest-below">
          <p role="status" className={statusTone(known)}>
            {statusOf({ file, plan: known, isOfNow, isChanged })}
          </p>
          {plan?.ok === false && (
            <NotPossible failure={plan.error}>It can’t be edited from here.</NotPossible>
          )}
          {isBehind && (
            <p className="hf-alarm-text">
              {known.hash === null
                ? 'The file is gone by now.'
                : expected === null
                  ? 'There is a file of this name already. Choose another.'
                  : 'The file was changed by somebody else meanwhile, so what is here can’t be saved over it. Read it again.'}
            </p>
          )}
          {known !== null && known.problems.length > 0 && (
            <ProblemList problems={known.problems} onLine={goTo} />
          )}
          {known !== null && known.remarks.length > 0 && (
            <>
              <p>Worth knowing:</p>
              <ProblemList label="Notes" problems={known.remarks} onLine={goTo} />
            </>
          )}
          {known !== null && known.hash !== null && known.problems.length === 0 && (
            <ManifestDiff label="What saving would change" lines={known.lines} lineCount={known.lineCount} />
          )}
        </div>
        <div className="hf-buttons">
          <Button intent="primary" disabled={silent || !isGood || !canApply(known)} onClick={save(true)}>
            {isChanged ? 'Save and apply…' : 'Apply…'}
          </Button>
          <Button disabled={silent || !isGood || !isChanged} onClick={save(false)}>
            Save…
          </Button>
          {props.children}
        </div>
      </div>
      <SettingHelp schema={help.schema} text={text} at={at} />
    </div>
  );
}

/** Something would be in force that is not. */
function canApply(plan: ManifestPlanView | null): boolean {
  return plan?.change != null;
}

function statusTone(plan: ManifestPlanView | null): string {
  return plan !== null && plan.problems.length > 0 ? 'hf-alarm-text' : 'hf-muted';
}

function statusOf({
  file,
  plan,
  isOfNow,
  isChanged,
}: {
  readonly file: string | null;
  readonly plan: ManifestPlanView | null;
  readonly isOfNow: boolean;
  readonly isChanged: boolean;
}): string {
  if (file === null) return 'Give its file a name first.';
  if (plan === null || !isOfNow) return 'Looking at it…';
  if (plan.problems.length > 0) return `${counted(plan.problems.length, 'problem')}: it can’t be saved.`;
  if (isChanged) return 'Nothing is wrong with it. It is not saved.';
  return plan.change === null ? 'It is in force.' : 'It is saved, and not in force.';
}

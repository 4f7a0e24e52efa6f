import { Button } from '@blueprintjs/core';
import { Pause } from '@blueprintjs/icons';
import { useState } from 'react';
import type { JournalView } from '../../../core/contract/fleet-views.ts';
import { useConsole, useFleet, useSilent } from '../../app/console-context.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';

/** Holds the triggers of the workspace that is run; nothing where none is, or where they are held: then the banner is there. */
export function HoldTriggersButton() {
  const { actions } = useConsole();
  const silent = useSilent();
  const live = useFleet((state) => state.journals.find(({ access }) => access === 'live'));
  if (live === undefined || live.triggersHeld !== null) return null;
  return (
    <Button
      size="small"
      icon={<Pause size={14} />}
      disabled={silent}
      onClick={() => actions.ask({ kind: 'hold-triggers', journal: live })}
    >
      Hold all triggers…
    </Button>
  );
}

/** Over every view, for as long as nothing but a person wakes anything. */
export function TriggersHeldBanner() {
  const held = useFleet((state) => state.journals.find(({ triggersHeld }) => triggersHeld !== null));
  return held === undefined ? null : <Held journal={held} />;
}

function Held({ journal }: { readonly journal: JournalView }) {
  const { actions } = useConsole();
  const silent = useSilent();
  const [isAsked, setAsked] = useState(false);
  const { triggersHeld } = journal;
  if (triggersHeld === null) return null;
  const release = async (): Promise<void> => {
    setAsked(true);
    await actions.triggerSwitch.release(journal);
    setAsked(false);
  };
  const { actor, reason, at } = triggersHeld;
  return (
    <section className="hf-banner hf-banner-held" aria-label="All triggers are held">
      <Pause />
      <span title={visibleLine(reason)}>
        {/* Told when it comes; for how long it has been is not told again and again. */}
        <span role="status">
          <strong>All triggers are held</strong> in {visibleLine(journal.title)}: only people wake its
          processes.
        </span>{' '}
        By {visibleLine(actor.replace(/^operator:/, ''))}, <Ago at={at} long suffix=" ago" />
        {reason === '' ? '.' : `: ${visibleLine(reason)}`}
      </span>
      <Button size="small" disabled={silent || isAsked} loading={isAsked} onClick={() => void release()}>
        Release all triggers
      </Button>
    </section>
  );
}

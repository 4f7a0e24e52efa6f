import { AnchorButton } from '@blueprintjs/core';
import { Plus } from '@blueprintjs/icons';
import { useFleet } from '../../app/console-context.ts';
import { hashOf } from '../../stores/place.ts';

/** Leads to an empty manifest of the workspace that is run; nothing where none is. */
export function NewAgentLink() {
  const live = useFleet((state) => state.journals.find(({ access }) => access === 'live'));
  if (live === undefined) return null;
  return (
    <AnchorButton
      size="small"
      icon={<Plus size={14} />}
      role="link"
      href={hashOf({ view: 'manifests', journalId: live.id, file: null })}
    >
      New agent…
    </AnchorButton>
  );
}

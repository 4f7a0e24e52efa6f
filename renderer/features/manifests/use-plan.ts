import { useEffect, useState } from 'react';
import type { Result } from '../../../core/contract/define.ts';
import type { ManifestPlanView } from '../../../core/contract/manifest-views.ts';
import { useConsole } from '../../app/console-context.ts';

/** So long nothing more is typed before it is looked at. */
const SETTLE_MS = 300;

export interface Planned {
  /** Of the text as it was looked at last; null before that. */
  readonly plan: Result<ManifestPlanView> | null;
  /** Whether that is the text as it is now. */
  readonly isOfNow: boolean;
}

/** What is wrong with a text and what it would change, asked when nothing more is typed for a moment. */
export function usePlan(journalId: string, file: string | null, text: string): Planned {
  const { client, clock } = useConsole();
  const [found, setFound] = useState<{ readonly of: string; readonly plan: Result<ManifestPlanView> } | null>(
    null,
  );
  const asked = JSON.stringify([journalId, file, text]);
  useEffect(() => {
    if (file === null) return undefined;
    let wanted = true;
    const cancel = clock.after(SETTLE_MS, () => {
      void client.request('manifests.plan', { journalId, file, text }).then((plan) => {
        if (wanted) setFound({ of: asked, plan });
      });
    });
    return () => {
      wanted = false;
      cancel();
    };
  }, [client, clock, journalId, file, text, asked]);
  return { plan: found?.plan ?? null, isOfNow: found?.of === asked };
}

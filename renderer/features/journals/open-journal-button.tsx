import { Button } from '@blueprintjs/core';
import { FolderOpen } from '@blueprintjs/icons';
import { useConsole, usePart, useSilent } from '../../app/console-context.ts';

/** Lets the operator pick a journal directory. Opening only looks. */
export function OpenJournalButton({ primary = false }: { readonly primary?: boolean }) {
  const { journals } = useConsole();
  const opening = usePart(
    () => journals,
    (state) => state.opening,
  );
  return (
    <Button
      icon={<FolderOpen />}
      {...(primary
        ? { intent: 'primary' as const }
        : { size: 'small' as const, variant: 'minimal' as const })}
      loading={opening}
      disabled={useSilent()}
      onClick={() => void journals.choose()}
    >
      Open journal…
    </Button>
  );
}

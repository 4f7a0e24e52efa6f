import { useEffect, useState } from 'react';
import type { ManifestSchemaView } from '../../../core/contract/manifest-views.ts';
import { useConsole } from '../../app/console-context.ts';

export interface ManifestHelp {
  /** Null while it is not known. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly templates: ManifestSchemaView['templates'];
}

const NOTHING: ManifestHelp = { schema: null, templates: [] };

/** What may stand in a manifest, and what to begin with. Without it a manifest is written as well. */
export function useSchema(): ManifestHelp {
  const { client } = useConsole();
  const [help, setHelp] = useState<ManifestHelp>(NOTHING);
  useEffect(() => {
    let wanted = true;
    void client.request('manifests.schema', {}).then((result) => {
      if (!wanted || !result.ok) return;
      const { schemaText, templates } = result.value;
      setHelp({ schema: JSON.parse(schemaText) as Readonly<Record<string, unknown>>, templates });
    });
    return () => {
      wanted = false;
    };
  }, [client]);
  return help;
}

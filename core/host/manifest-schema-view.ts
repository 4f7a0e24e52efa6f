import type { ManifestSchemaView } from '../contract/manifest-views.ts';
import { manifestJsonSchema } from '../manifest/manifest-json-schema.ts';
import { MANIFEST_TEMPLATES, templateText } from '../manifest/manifest-templates.ts';

/** What it is called until somebody calls it otherwise. */
const NAME = 'my-agent';

/** What may stand in a manifest, for editors, and what to begin with. */
export function manifestSchema(): ManifestSchemaView {
  return {
    schemaText: JSON.stringify(manifestJsonSchema()),
    templates: MANIFEST_TEMPLATES.map((name) => ({
      name,
      title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      text: templateText(name, NAME),
    })),
  };
}

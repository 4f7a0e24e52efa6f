import { useId, useMemo } from 'react';
import { Bounded } from '../../ui/bounded.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { placeInText } from './place-in-text.ts';
import { helpFor } from './schema-help.ts';

interface Props {
  /** JSON Schema; null while it is not known. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly text: string;
  readonly at: number;
}

/** What may stand where the cursor is. */
export function SettingHelp({ schema, text, at }: Props) {
  const id = useId();
  const keys = useMemo(() => placeInText(text, at), [text, at]);
  const found = schema === null ? null : nearest(schema, keys);
  return (
    <aside className="hf-setting-help" aria-labelledby={id}>
      <h2 id={id}>{found === null || found.path === '' ? 'Settings' : visibleLine(found.path)}</h2>
      {found === null ? (
        <p className="hf-muted">What may stand here is not known.</p>
      ) : (
        <Bounded label="What may stand here" className="hf-setting-help-body">
          {found.description !== '' && <p>{visibleLine(found.description)}</p>}
          <dl className="hf-setting-facts">
            {found.type !== '' && <Fact name="Is">{found.type}</Fact>}
            {found.fallback !== null && <Fact name="Unless given">{visibleLine(found.fallback)}</Fact>}
            {found.allowed.length > 0 && (
              <Fact name="Allowed">{found.allowed.map(visibleLine).join(', ')}</Fact>
            )}
            {found.limits !== '' && <Fact name="Limits">{found.limits}</Fact>}
          </dl>
          {found.keys.length > 0 && (
            <ul className="hf-plain hf-setting-keys" aria-label="Settings in it">
              {found.keys.map(({ name, isNeeded, description }) => (
                <li key={name}>
                  <code className="hf-mono">{visibleLine(name)}</code>
                  {isNeeded && <span className="hf-muted"> needed</span>}
                  {description !== '' && <div className="hf-muted">{visibleLine(description)}</div>}
                </li>
              ))}
            </ul>
          )}
        </Bounded>
      )}
    </aside>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <div>
      <dt className="hf-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Of what is not known yet, or never, what it stands in. */
function nearest(schema: Readonly<Record<string, unknown>>, keys: readonly string[]) {
  for (let length = keys.length; length >= 0; length -= 1) {
    const found = helpFor(schema, keys.slice(0, length));
    if (found !== null) return found;
  }
  return null;
}

import { Button } from '@blueprintjs/core';
import { useId } from 'react';
import type { SettingView } from '../../../core/contract/settings-views.ts';
import type { ProcessDetail, ProcessRow } from '../../../core/contract/views.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { countText } from '../../ui/numbers.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { shownValue } from '../actions/undo-setting-dialog.tsx';

/** What is not as the manifest has it, by whom and why, and the way to change limits. */
export function SettingsCard({ detail: { row, settings } }: { readonly detail: ProcessDetail }) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const id = useId();
  const { changed, changedCount, limits } = settings;
  // What its journal says of somebody else's is shown where there is something.
  if (!row.live && changedCount === 0) return null;
  return (
    <section className="hf-card hf-settings" aria-labelledby={id}>
      <header>
        <h2 id={id}>Beside the manifest</h2>
        {row.live && (
          <Button size="small" disabled={off} onClick={() => actions.ask({ kind: 'limits', row, limits })}>
            Limits…
          </Button>
        )}
      </header>
      {changedCount === 0 ? (
        <p className="hf-muted">Limits are as the manifest has them.</p>
      ) : (
        <ul className="hf-plain hf-settings-list">
          {changed.map((setting) => (
            <Changed key={setting.path} row={row} setting={setting} off={off} />
          ))}
        </ul>
      )}
      {changedCount > changed.length && (
        <p className="hf-muted">and {countText(changedCount - changed.length)} more</p>
      )}
    </section>
  );
}

interface ChangedProps {
  readonly row: ProcessRow;
  readonly setting: SettingView;
  readonly off: boolean;
}

function Changed({ row, setting, off }: ChangedProps) {
  const { actions } = useConsole();
  const { path, manifestText, valueText, actor, reason, at } = setting;
  const name = visibleLine(path);
  return (
    <li>
      <code className="hf-mono hf-block">{name}</code>
      <div>
        <strong>{shownValue(valueText)}</strong>
        <span className="hf-muted"> · manifest: {shownValue(manifestText)}</span>
      </div>
      <div className="hf-second">
        {visibleLine(actor.replace(/^operator:/, ''))}, <Ago at={at} long suffix=" ago" />
        {reason === '' ? '' : `: ${visibleLine(reason)}`}
      </div>
      {row.live && (
        <Button
          size="small"
          variant="minimal"
          disabled={off}
          aria-label={`Back to the manifest's: ${name}`}
          onClick={() => actions.ask({ kind: 'undo-setting', row, setting })}
        >
          Back to the manifest's…
        </Button>
      )}
    </li>
  );
}

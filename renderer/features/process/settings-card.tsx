import { Button } from '@blueprintjs/core';
import type { SettingView } from '../../../core/contract/settings-views.ts';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { Card } from '../../ui/card.tsx';
import { countText } from '../../ui/numbers.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { shownValue } from '../actions/undo-setting-dialog.tsx';

/** What is not as the manifest has it, by whom and why; nothing where all is. Limits are changed at the budget. */
export function SettingsCard({ detail: { row, settings } }: { readonly detail: ProcessDetail }) {
  const off = useAnswersOff(row);
  const { changed, changedCount } = settings;
  if (changedCount === 0) return null;
  return (
    <Card title="Settings beside the manifest">
      <ul className="hf-plain hf-settings-list">
        {changed.map((setting) => (
          <Changed key={setting.path} row={row} setting={setting} off={off} />
        ))}
      </ul>
      {changedCount > changed.length && (
        <p className="hf-muted">and {countText(changedCount - changed.length)} more</p>
      )}
    </Card>
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
          className="hf-gauge-button"
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

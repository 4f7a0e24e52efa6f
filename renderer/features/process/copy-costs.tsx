import { Button } from '@blueprintjs/core';
import { Duplicate } from '@blueprintjs/icons';
import { useState } from 'react';
import { MAX_COST_ROWS } from '../../../core/contract/names.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useConsole } from '../../app/console-context.ts';
import { countText } from '../../ui/numbers.ts';

/** What it spent when, for a spreadsheet. The journal is read when it is asked for, and not before. */
export function CopyCosts({ row: { journalId, name: process } }: { readonly row: ProcessRow }) {
  const { client } = useConsole();
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    setSaid('reading the journal…');
    const answer = await client.request('costs.read', { journalId, process, limit: MAX_COST_ROWS });
    if (!answer.ok) {
      setSaid(answer.error.message);
      return;
    }
    const { csv, rows, count } = answer.value;
    try {
      await navigator.clipboard.writeText(csv);
      setSaid(
        rows === count
          ? `${countText(rows)} rows copied`
          : `the newest ${countText(rows)} of ${countText(count)} rows copied`,
      );
    } catch {
      setSaid('this window may not copy; the command line prints them: costs --csv');
    }
  };
  return (
    <div className="hf-buttons hf-card-buttons">
      <Button size="small" icon={<Duplicate size={12} />} onClick={() => void copy()}>
        Copy costs as CSV
      </Button>
      <span role="status" className="hf-muted">
        {said}
      </span>
    </div>
  );
}

import { Button } from '@blueprintjs/core';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import type { EffectView } from '../../../core/contract/work-views.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { createToolsReader } from '../../stores/tools-reader.ts';
import { targetOf } from '../../stores/target.ts';
import { visibleLine } from '../../ui/visible-text.ts';

/** Beside the answers to a doubt of a tool: that the next one need not be asked about [S32]. Nothing for other effects. */
export function TreatAs({ row, effect }: { readonly row: ProcessRow; readonly effect: EffectView }) {
  const { actions, client, clock } = useConsole();
  const off = useAnswersOff(row);
  const [reader] = useState(() => createToolsReader(client, clock, targetOf(row), () => document.hidden));
  const tool = useStore(reader.store, ({ tools }) => tools?.tools.find(({ name }) => name === effect.name));
  useEffect(() => reader.again(), [reader]);
  if (tool === undefined) return null;
  return (
    <Button
      size="small"
      variant="minimal"
      disabled={off}
      aria-label={`Treat this tool as… from now on: ${visibleLine(effect.name)}`}
      onClick={() => actions.ask({ kind: 'tool-class', row, name: tool.name, now: tool.class })}
    >
      Treat this tool as… from now on
    </Button>
  );
}

import { Button } from '@blueprintjs/core';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { ToolServerView, ToolsView, ToolView } from '../../../core/contract/tools-view.ts';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { parseTimestamp } from '../../../core/model/time.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { createToolsReader } from '../../stores/tools-reader.ts';
import { targetOf } from '../../stores/target.ts';
import { counted } from '../../ui/numbers.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { EmptyView, FailedView, Skeleton } from '../../ui/state-of-view.tsx';
import { useTicking } from '../../ui/ticker.ts';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { CLASS_WORDS, DECIDED_WORDS } from '../actions/tool-words.ts';
import { DeskItem } from './desk.tsx';

/** What the agent may use: the servers that its tools come from, and what becomes of each tool's calls. */
export function ToolsTab({ detail: { row } }: { readonly detail: ProcessDetail }) {
  const { client, clock } = useConsole();
  const [reader] = useState(() => createToolsReader(client, clock, targetOf(row), () => document.hidden));
  const { tools, failure } = useStore(reader.store);
  useEffect(() => reader.start(), [reader]);
  if (tools === null) {
    return failure === null ? (
      <Skeleton lines={6} label="Reading the tools" />
    ) : (
      <FailedView title="The tools could not be read" failure={failure} onRetry={() => reader.again()} />
    );
  }
  if (!tools.isModelAgent) {
    return (
      <EmptyView title="No tools are listed">
        <p>
          This agent has code of its own, which brings what it needs. Tools are listed of agents that a
          manifest describes.
        </p>
      </EmptyView>
    );
  }
  return (
    <div className="hf-sections">
      <Servers servers={tools.servers} count={tools.serverCount} />
      <Tools row={row} tools={tools} />
    </div>
  );
}

function Servers({
  servers,
  count,
}: {
  readonly servers: readonly ToolServerView[];
  readonly count: number;
}) {
  return (
    <section aria-label="Servers of tools">
      <SectionHead title="Servers" shown={servers.length} of={count} />
      {servers.length === 0 ? (
        <p className="hf-muted">Its manifest names none.</p>
      ) : (
        <ul className="hf-plain hf-letters">
          {servers.map((server) => (
            <DeskItem
              key={server.name}
              title={visibleLine(server.name)}
              about={
                <>
                  · {server.at === null ? '' : `${counted(server.toolCount, 'tool')} · `}
                  {server.isTrusted
                    ? 'trusted: its annotations count'
                    : 'not trusted: its annotations do not count'}
                  {server.roots.length > 0 && ` · may use ${server.roots.map(visibleLine).join(', ')}`}
                </>
              }
            >
              <div>
                <ServerState server={server} />
              </div>
              <code className="hf-mono hf-block">{visibleLine(server.target)}</code>
            </DeskItem>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What was seen of a worker that is gone is said to be that [P5]. */
function ServerState({ server: { state, why, retryAt, at, isNow } }: { readonly server: ToolServerView }) {
  if (at === null)
    return <span className="hf-muted">not seen yet: it is started when it is first needed</span>;
  const isDown = state === 'down';
  return (
    <>
      <span className={isDown ? 'hf-attention-text' : isNow ? '' : 'hf-muted'}>{STATES[state]}</span>
      {!isNow && (
        <span className="hf-muted">
          {' '}
          when it was last seen, <Ago at={at} long suffix=" ago" />
        </span>
      )}
      {why !== '' && <>: {visibleLine(why)}</>}
      {isNow && isDown && retryAt !== null && <StartsAgain at={retryAt} />}
    </>
  );
}

/** Nobody starts it while nobody needs it, so that its time has come is no delay. */
function StartsAgain({ at }: { readonly at: string }) {
  const isAhead = useTicking(() => ((parseTimestamp(at) ?? 0) > Date.now() ? 'ahead' : '')) !== '';
  return (
    <div className="hf-muted">
      It is started again when it is needed
      {isAhead && (
        <>
          , not before: <Until at={at} />
        </>
      )}
    </div>
  );
}

const STATES: Readonly<Record<ToolServerView['state'], string>> = {
  idle: 'not started',
  starting: 'is starting',
  connected: 'connected',
  down: 'down',
  unknown: 'unknown',
};

function Tools({
  row,
  tools: { tools, toolCount, listedAt, problems },
}: {
  readonly row: ProcessRow;
  readonly tools: ToolsView;
}) {
  return (
    <section aria-label="Tools">
      <SectionHead title="Tools" shown={tools.length} of={toolCount} />
      <p className="hf-muted hf-note">
        {listedAt === null ? (
          'No invocation has looked for tools yet.'
        ) : (
          <>
            As the invocation found them that began <Ago at={listedAt} long suffix=" ago" />. What is changed
            here counts from the next one on.
          </>
        )}
      </p>
      {problems.length > 0 && (
        <ul className="hf-consequences hf-tool-problems" aria-label="Problems">
          {problems.map((problem) => (
            <li key={problem} className="hf-attention-text">
              {visibleLine(problem)}
            </li>
          ))}
        </ul>
      )}
      {tools.length > 0 && (
        <ul className="hf-plain hf-letters">
          {tools.map((tool) => (
            <ToolItem key={tool.name} row={row} tool={tool} isListed={listedAt !== null} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface ToolItemProps {
  readonly row: ProcessRow;
  readonly tool: ToolView;
  /** Whether anybody has looked what there is. */
  readonly isListed: boolean;
}

function ToolItem({ row, tool, isListed }: ToolItemProps) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const name = visibleLine(tool.name);
  const toggle = tool.isEnabled ? 'Disable' : 'Enable';
  const answers = (
    <>
      <Button
        size="small"
        disabled={off}
        aria-label={`${toggle}…: ${name}`}
        onClick={() => actions.ask({ kind: 'tool-switch', row, tool })}
      >
        {toggle}…
      </Button>
      <Button
        size="small"
        disabled={off}
        aria-label={`Treat as…: ${name}`}
        onClick={() => actions.ask({ kind: 'tool-class', row, name: tool.name, now: tool.class })}
      >
        Treat as…
      </Button>
    </>
  );
  return (
    <DeskItem
      title={<code className="hf-mono">{name}</code>}
      about={<Offered tool={tool} isListed={isListed} />}
      {...(row.live ? { answers, answersLabel: `Changes: ${name}` } : {})}
    >
      {tool.description !== '' && (
        <span className="hf-second" title={visibleLine(tool.description)}>
          {visibleLine(tool.description)}
        </span>
      )}
      <div>
        {tool.class === null ? (
          <span className="hf-muted">What becomes of a call in doubt is not known yet.</span>
        ) : (
          <>
            A call in doubt {CLASS_WORDS[tool.class]}{' '}
            <span className={tool.decidedBy === 'changed' ? 'hf-attention-text' : 'hf-muted'}>
              ({DECIDED_WORDS[tool.decidedBy]})
            </span>
          </>
        )}
        {tool.asks && ' · each call is approved first'}
      </div>
    </DeskItem>
  );
}

function Offered({ tool: { source, isEnabled, isOffered }, isListed }: Omit<ToolItemProps, 'row'>) {
  if (!isEnabled) return <span className="hf-attention-text">disabled</span>;
  if (!isListed) return <>not looked for yet</>;
  return <>{isOffered ? `of ${visibleLine(source)}` : 'not found when it was looked for last'}</>;
}

import { Tab, Tabs } from '@blueprintjs/core';
import { useEffect, useRef, useState } from 'react';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { useConsole, useFleet, useProcess } from '../../app/console-context.ts';
import { FLEET, hashOf } from '../../stores/place.ts';
import type { Target } from '../../stores/target.ts';
import { isTyping } from '../../ui/keys.ts';
import { Card } from '../../ui/card.tsx';
import { countText } from '../../ui/numbers.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { EmptyView, FailedView, Skeleton } from '../../ui/state-of-view.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { MemoryTab } from '../memory/memory-tab.tsx';
import { useSoughtEvent } from '../memory/use-sought-event.ts';
import { ManifestTab } from '../manifests/manifest-tab.tsx';
import { Attention } from './attention.tsx';
import { ConversationTab } from './conversation-tab.tsx';
import { BudgetGauge } from './budget-gauge.tsx';
import { EffectsTab } from './effects-tab.tsx';
import { Escalations } from './escalations.tsx';
import { Facts } from './facts.tsx';
import { HealthGauge } from './health-gauge.tsx';
import { LifecycleDiagram } from './lifecycle-diagram.tsx';
import { MissionCard } from './mission-card.tsx';
import { ProcessHeader } from './process-header.tsx';
import { QueueTab } from './queue-tab.tsx';
import { SelfCard } from './self-card.tsx';
import { SettingsCard } from './settings-card.tsx';
import { SecretsCard } from './secrets-card.tsx';
import { StateTab } from './state-tab.tsx';
import { TimelineView } from './timeline-view.tsx';
import { ToolsTab } from './tools-tab.tsx';
import { UnderWay } from './under-way.tsx';
import { WorkerTab } from './worker-tab.tsx';

/** One process: is anything wrong, why, and what happens if I press this. */
export function ProcessView({ target }: { readonly target: Target }) {
  const { place, process } = useConsole();
  const phase = useProcess((state) => state.phase);
  const failure = useProcess((state) => state.failure);
  const detail = useProcess((state) => state.detail);
  const closed = useFleet(
    (state) => state.phase === 'ready' && !state.journals.some(({ id }) => id === target.journalId),
  );
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented && !isTyping(event.target)) place.go(FLEET);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [place]);

  const name = visibleLine(target.process);
  return (
    <section className="hf-view hf-view-process" aria-label={name}>
      {(detail === null || closed) && <PageHeading className="hf-hidden">{name}</PageHeading>}
      {closed ? (
        <EmptyView title="This journal is not open" action={<a href={hashOf(FLEET)}>Back to the fleet</a>}>
          <p>{name} belongs to a journal that is not open any more. Open it again to see the process.</p>
        </EmptyView>
      ) : detail !== null ? (
        <KnownProcess detail={detail} />
      ) : phase === 'failed' && failure !== null ? (
        <FailedView title={`${name} could not be read`} failure={failure} onRetry={() => process.again()} />
      ) : (
        <Skeleton lines={12} label={`Reading ${name}`} />
      )}
    </section>
  );
}

type TabId =
  | 'timeline'
  | 'conversation'
  | 'state'
  | 'effects'
  | 'tools'
  | 'memory'
  | 'queue'
  | 'worker'
  | 'manifest';

function KnownProcess({ detail }: { readonly detail: ProcessDetail }) {
  const { row } = detail;
  const [tab, setTab] = useState<TabId>('timeline');
  const main = useRef<HTMLDivElement>(null);
  const sought = useSoughtEvent(main);
  const showEvent = (eventId: string): void => {
    setTab('timeline');
    void sought.seek(eventId);
  };
  const inDoubt = row.doubts > 0 ? ` (${countText(row.doubts)} in doubt)` : '';
  const written = detail.inbox.length > 0 ? ` (${countText(detail.inbox.length)} unread)` : '';
  const queued = row.queued > 0 ? ` (${countText(row.queued)})` : '';
  return (
    <>
      <ProcessHeader detail={detail} />
      <Attention detail={detail} />
      <div className="hf-process-main" ref={main}>
        <Tabs
          id="process"
          selectedTabId={tab === 'memory' && detail.memory === null ? 'timeline' : tab}
          onChange={(id) => setTab(id as TabId)}
          renderActiveTabPanelOnly
          animate={false}
        >
          <Tab
            id="timeline"
            title="Timeline"
            panel={
              <>
                {sought.said !== null && (
                  <p role="status" className="hf-muted">
                    {sought.said}
                  </p>
                )}
                <TimelineView />
              </>
            }
          />
          <Tab
            id="conversation"
            title={`Conversation${written}`}
            panel={<ConversationTab detail={detail} />}
          />
          <Tab id="state" title="State" panel={<StateTab detail={detail} />} />
          <Tab id="effects" title={`Effects${inDoubt}`} panel={<EffectsTab detail={detail} />} />
          <Tab id="tools" title="Tools" panel={<ToolsTab key={row.key} detail={detail} />} />
          {detail.memory !== null && (
            <Tab id="memory" title="Memory" panel={<MemoryTab detail={detail} onEvent={showEvent} />} />
          )}
          <Tab id="queue" title={`Triggers & queue${queued}`} panel={<QueueTab detail={detail} />} />
          <Tab id="worker" title="Worker" panel={<WorkerTab detail={detail} />} />
          {/* Of what nobody runs here no manifest is known. */}
          {row.live && <Tab id="manifest" title="Manifest" panel={<ManifestTab row={row} />} />}
        </Tabs>
      </div>
      <aside className="hf-process-side" aria-label="At a glance">
        {/* What is looked for first stands first; what has nothing to say is a line of the facts, or not there. */}
        <Card title="Lifecycle" className="hf-card-lifecycle">
          <LifecycleDiagram lifecycle={detail.lifecycle} state={row.state} live={row.live} />
        </Card>
        <BudgetGauge detail={detail} />
        <HealthGauge detail={detail} />
        <MissionCard detail={detail} />
        <UnderWay detail={detail} />
        <SettingsCard detail={detail} />
        <SelfCard detail={detail} />
        <SecretsCard detail={detail} />
        <Escalations detail={detail} />
        <Facts detail={detail} />
      </aside>
    </>
  );
}

import { BlueprintProvider } from '@blueprintjs/core';
import { StrictMode } from 'react';
import { useStore } from 'zustand';
import { ActionDialogs } from '../features/actions/action-dialogs.tsx';
import { HeaderCounts } from '../features/fleet/fleet-counts.tsx';
import { TriggersHeldBanner } from '../features/fleet/trigger-switch.tsx';
import { FleetView } from '../features/fleet/fleet-view.tsx';
import { JournalsView } from '../features/journals/journals-view.tsx';
import { OpenJournalButton } from '../features/journals/open-journal-button.tsx';
import { ManifestPage } from '../features/manifests/manifest-page.tsx';
import { ManifestsBanner } from '../features/manifests/manifests-banner.tsx';
import { ManifestsView } from '../features/manifests/manifests-view.tsx';
import { ProcessView } from '../features/process/process-view.tsx';
import { WaitingView } from '../features/waiting/waiting-view.tsx';
import type { Console } from '../stores/console.ts';
import { hashOf, type Place } from '../stores/place.ts';
import { waitingHere } from '../stores/waiting.ts';
import { ConsoleContext, useConsole, useSilent } from './console-context.ts';
import { DropTarget } from './drop-target.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Footer } from './footer.tsx';
import { Help } from './help.tsx';
import { Nav } from './nav.tsx';
import { Notices } from './notices.tsx';
import { SelectedStatus } from './selected-status.tsx';
import { SilenceBanner } from './silence-banner.tsx';

export function App({ console }: { readonly console: Console }) {
  return (
    <StrictMode>
      <ErrorBoundary>
        <BlueprintProvider>
          <ConsoleContext value={console}>
            <Shell />
          </ConsoleContext>
        </BlueprintProvider>
      </ErrorBoundary>
    </StrictMode>
  );
}

function Shell() {
  const { fleet, place } = useConsole();
  const now = useStore(place.store, (state) => state.place);
  const known = useStore(fleet.store, (state) => state.phase === 'ready');
  const processes = useStore(fleet.store, (state) => Object.keys(state.processes).length);
  const journals = useStore(fleet.store, (state) => state.journals.length);
  const waiting = useStore(fleet.store, (state) => waitingHere(state.processes));
  const silent = useSilent();
  const address = hashOf(now);
  return (
    <div className={silent ? 'hf-shell hf-silent' : 'hf-shell'}>
      <header className="hf-header">
        <span className="hf-brand">
          <Brand />
          Holdfast
        </span>
        {now.view !== 'fleet' && known && <HeaderCounts />}
        <div className="hf-header-end">
          {now.view !== 'journals' && <OpenJournalButton />}
          <Help />
        </div>
      </header>
      <div className="hf-banners">
        <SilenceBanner />
        <TriggersHeldBanner />
        {now.view !== 'manifests' && <ManifestsBanner />}
      </div>
      <Nav
        view={now.view}
        processes={known ? processes : null}
        journals={known ? journals : null}
        waiting={known ? waiting : null}
      />
      {/* Another address is another page: it begins at its top. */}
      <main key={address} className="hf-main" tabIndex={-1}>
        <View place={now} />
      </main>
      <Footer />
      <SelectedStatus />
      <Notices />
      <ActionDialogs />
      <DropTarget />
    </div>
  );
}

function View({ place }: { readonly place: Place }) {
  switch (place.view) {
    case 'fleet':
      return <FleetView />;
    case 'journals':
      return <JournalsView />;
    case 'waiting':
      return <WaitingView />;
    case 'manifests':
      return place.file === undefined ? (
        <ManifestsView journalId={place.journalId} />
      ) : (
        <ManifestPage journalId={place.journalId} file={place.file} />
      );
    case 'process':
      return <ProcessView target={place.target} />;
  }
}

/** The grip at the root of a kelp. */
function Brand() {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" className="hf-brand-mark">
      <path d="M9 1.5V10" />
      <path d="M9 9.5C9 13 5.5 12.5 3 16.5M9 9.5C9 13 12.5 12.5 15 16.5M9 9.5V16.5" />
      <path d="M9 4.5C6.5 4.5 5.5 3.5 5 2M9 7C11.5 7 12.5 6 13 4.5" />
    </svg>
  );
}

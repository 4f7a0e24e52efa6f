import type { ConsoleClient } from '../../core/contract/client.ts';
import type { Clock, Ids } from '../../core/model/ports.ts';
import { createActionStore, type ActionStore } from './actions.ts';
import { createFleetStore, type FleetStore } from './fleet.ts';
import { createFleetViewStore, type FleetViewStore } from './fleet-view.ts';
import { createJournals, type Journals } from './journals.ts';
import { createLivenessStore, type LivenessStore, type Visibility } from './liveness.ts';
import { createManifestStore, type ManifestStore } from './manifests.ts';
import { createNoticeStore, type NoticeStore } from './notices.ts';
import { createPlaceStore, FLEET, processPlace, WAITING, type AddressBar, type PlaceStore } from './place.ts';
import { createProcessStore, type ProcessStore } from './process.ts';
import { createWaitingStore, type WaitingStore } from './waiting.ts';

export interface ConsoleEnvironment {
  readonly client: ConsoleClient;
  /** The path of something dropped on the window; empty when it has none. */
  readonly pathOf: (file: unknown) => Promise<string>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bar: AddressBar;
  readonly visibility: Visibility;
}

/** Everything that the console knows and does, without a line of React. */
export interface Console {
  readonly clock: Clock;
  readonly client: ConsoleClient;
  readonly fleet: FleetStore;
  readonly fleetView: FleetViewStore;
  readonly process: ProcessStore;
  readonly waiting: WaitingStore;
  readonly actions: ActionStore;
  readonly journals: Journals;
  readonly manifests: ManifestStore;
  readonly notices: NoticeStore;
  readonly liveness: LivenessStore;
  readonly place: PlaceStore;
  dispose(): void;
}

export function createConsole(environment: ConsoleEnvironment): Console {
  const { client, clock, ids, bar, visibility, pathOf } = environment;
  const notices = createNoticeStore(clock);
  const place = createPlaceStore(bar);
  const fleet = createFleetStore(client);
  const process = createProcessStore(client);
  const liveness = createLivenessStore(client, clock, visibility, () => {
    // What the host said while it could not be heard is lost.
    void fleet.read();
    process.again();
  });

  const showPlace = (): void => {
    const now = place.store.getState().place;
    process.show(now.view === 'process' ? now.target : null);
  };
  const offs = [
    client.on('fleet.changed', () => liveness.heard()),
    client.on('process.changed', () => liveness.heard()),
    client.on('console.show', ({ target, view }) => {
      if (view === 'waiting') place.go(WAITING);
      else place.go(target === null ? FLEET : processPlace(target));
    }),
    client.on('console.notice', ({ tone, code, message }) => {
      notices.push({ tone, code, message, title: tone === 'alarm' ? 'Something failed' : 'Please note' });
    }),
    place.store.subscribe(showPlace),
  ];
  showPlace();
  void fleet.read();

  return {
    clock,
    client,
    fleet,
    fleetView: createFleetViewStore(),
    process,
    waiting: createWaitingStore(client, fleet),
    actions: createActionStore(client, notices, clock, ids),
    journals: createJournals(client, notices, pathOf),
    manifests: createManifestStore(client, notices, ids),
    notices,
    liveness,
    place,
    dispose() {
      for (const off of offs) off();
      for (const part of [fleet, process, liveness, place]) part.dispose();
    },
  };
}

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Target } from './target.ts';

/** Where the console is. Its address lies in the location's hash, so that a reload comes back to it. */
export type Place =
  | { readonly view: 'fleet' }
  | { readonly view: 'journals' }
  | { readonly view: 'waiting' }
  /** `file`: the manifest that is edited, null for a new one; left out for what is not in force. */
  | { readonly view: 'manifests'; readonly journalId: string; readonly file?: string | null }
  | { readonly view: 'process'; readonly target: Target };

export const FLEET: Place = { view: 'fleet' };
export const JOURNALS: Place = { view: 'journals' };
export const WAITING: Place = { view: 'waiting' };

/** The id of no journal. */
const MANIFESTS = 'manifests';
/** The name of no manifest. */
const NEW = 'new';

export function processPlace(target: Target): Place {
  return { view: 'process', target: { journalId: target.journalId, process: target.process } };
}

/**
 * `#/`, `#/journals`, `#/waiting`, `#/<journal id>/<process>`, or `#/manifests/<journal id>` with a manifest's file or `new` behind it, all
 * URI-encoded.
 */
export function hashOf(place: Place): string {
  switch (place.view) {
    case 'fleet':
      return '#/';
    case 'journals':
      return '#/journals';
    case 'waiting':
      return '#/waiting';
    case 'manifests': {
      const { journalId, file } = place;
      const which = file === undefined ? '' : `/${file === null ? NEW : encodeURIComponent(file)}`;
      return `#/${MANIFESTS}/${encodeURIComponent(journalId)}${which}`;
    }
    case 'process':
      return `#/${encodeURIComponent(place.target.journalId)}/${encodeURIComponent(place.target.process)}`;
  }
}

/** The fleet for everything that is no address. */
export function placeOf(hash: string): Place {
  const parts = hash.replace(/^#\/?/, '').split('/');
  try {
    const [first = '', second = '', third] = parts.map((part) => decodeURIComponent(part));
    if (parts.length === 1 && first === 'journals') return JOURNALS;
    if (parts.length === 1 && first === 'waiting') return WAITING;
    if (parts.length <= 3 && first === MANIFESTS && second !== '') {
      return {
        view: 'manifests',
        journalId: second,
        ...(third === undefined ? {} : { file: third === NEW ? null : third }),
      };
    }
    if (parts.length === 2 && first !== '' && second !== '') {
      return { view: 'process', target: { journalId: first, process: second } };
    }
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  return FLEET;
}

/** The part of a window that holds the address. */
export interface AddressBar {
  read(): string;
  write(hash: string): void;
  onChange(listener: () => void): () => void;
}

export interface PlaceStore {
  readonly store: StoreApi<{ readonly place: Place }>;
  go(place: Place): void;
  dispose(): void;
}

export function createPlaceStore(bar: AddressBar): PlaceStore {
  const store = createStore<{ readonly place: Place }>(() => ({ place: placeOf(bar.read()) }));
  const sync = (): void => {
    const place = placeOf(bar.read());
    if (hashOf(place) !== hashOf(store.getState().place)) store.setState({ place });
  };
  const dispose = bar.onChange(sync);
  return {
    store,
    go(place) {
      if (hashOf(place) === hashOf(store.getState().place)) return;
      bar.write(hashOf(place));
      store.setState({ place });
    },
    dispose,
  };
}

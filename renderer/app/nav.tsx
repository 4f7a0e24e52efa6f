import { Database, Heatmap, Inbox } from '@blueprintjs/icons';
import type { ReactNode } from 'react';
import { FLEET, hashOf, JOURNALS, WAITING, type Place } from '../stores/place.ts';
import { countText } from '../ui/numbers.ts';

interface Props {
  readonly view: Place['view'];
  /** Null until they are known [P5]. */
  readonly processes: number | null;
  readonly journals: number | null;
  readonly waiting: number | null;
}

export function Nav({ view, processes, journals, waiting }: Props) {
  const isFleet = view === 'fleet' || view === 'process';
  return (
    <nav className="hf-nav" aria-label="Views">
      <NavLink place={FLEET} current={isFleet} icon={<Heatmap />} count={processes}>
        Fleet
      </NavLink>
      <NavLink place={WAITING} current={view === 'waiting'} icon={<Inbox />} count={waiting}>
        Waiting for me
      </NavLink>
      <NavLink place={JOURNALS} current={view === 'journals'} icon={<Database />} count={journals}>
        Journals
      </NavLink>
    </nav>
  );
}

interface LinkProps {
  readonly place: Place;
  readonly current: boolean;
  readonly icon: ReactNode;
  readonly count: number | null;
  readonly children: string;
}

function NavLink({ place, current, icon, count, children }: LinkProps) {
  return (
    <a
      href={hashOf(place)}
      className="hf-nav-link"
      title={children}
      {...(current ? { 'aria-current': 'page' as const } : {})}
    >
      {icon}
      <span className="hf-nav-name">{children}</span>
      {count !== null && <span className="hf-nav-count">{countText(count)}</span>}
    </a>
  );
}

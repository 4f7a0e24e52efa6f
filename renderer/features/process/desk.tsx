import type { ReactNode } from 'react';

interface DeskProps {
  readonly label: string;
  readonly tone: 'attention' | 'waiting';
  readonly icon: ReactNode;
  /** What it is about, in a sentence or two. */
  readonly children: ReactNode;
  /** Beside that. */
  readonly aside?: ReactNode;
  /** Each a {@link DeskItem}. */
  readonly items: readonly ReactNode[];
}

/** What waits for a person, and may be answered where it stands. */
export function Desk({ label, tone, icon, children, aside, items }: DeskProps) {
  return (
    <section className={`hf-callout hf-callout-${tone}`} aria-label={label}>
      <span className="hf-callout-icon">{icon}</span>
      <div className="hf-desk">
        <div className="hf-desk-head">
          <div className="hf-desk-story">{children}</div>
          {aside}
        </div>
        <ul className="hf-plain">{items}</ul>
      </div>
    </section>
  );
}

interface ItemProps {
  readonly title: ReactNode;
  /** Since when, how often, until when. */
  readonly about: ReactNode;
  /** All that is known of it. */
  readonly children?: ReactNode;
  /** What may be done about it, each a button; the group is called `answersLabel`. */
  readonly answers?: ReactNode;
  readonly answersLabel?: string;
  /** Whether the answers take a line of their own. */
  readonly wide?: boolean;
}

/** One thing on a desk, or in a list of such. */
export function DeskItem({ title, about, children, answers, answersLabel, wide = false }: ItemProps) {
  return (
    <li className={wide ? 'hf-desk-item hf-desk-wide' : 'hf-desk-item'}>
      <div className="hf-desk-what">
        <div>
          <span className="hf-desk-title">{title}</span> <span className="hf-muted">{about}</span>
        </div>
        {children}
      </div>
      {answers !== undefined && (
        <div className="hf-buttons" role="group" aria-label={answersLabel}>
          {answers}
        </div>
      )}
    </li>
  );
}

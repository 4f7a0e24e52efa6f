import type { ReactNode } from 'react';
import type { Shape, StateLook } from './state-look.ts';

type Drawn = Pick<StateLook, 'shape' | 'hue' | 'moving'>;

const octagon = '4.3,1 9.7,1 13,4.3 13,9.7 9.7,13 4.3,13 1,9.7 1,4.3';

function drawingOf(shape: Shape): ReactNode {
  switch (shape) {
    case 'ring':
      return <circle cx="7" cy="7" r="5" className="hf-stroke" />;
    case 'dashed-ring':
      return <circle cx="7" cy="7" r="5" className="hf-stroke" strokeDasharray="3.2 2" />;
    case 'disc':
      return <circle cx="7" cy="7" r="5.25" className="hf-solid" />;
    case 'quarter':
      return (
        <>
          <circle cx="7" cy="7" r="5" className="hf-stroke" />
          <path d="M7 7V2A5 5 0 0 1 12 7Z" className="hf-solid" />
        </>
      );
    case 'bars':
      return (
        <>
          <rect x="2.5" y="2" width="3.25" height="10" rx="0.75" className="hf-solid" />
          <rect x="8.25" y="2" width="3.25" height="10" rx="0.75" className="hf-solid" />
        </>
      );
    case 'half':
      return (
        <>
          <circle cx="7" cy="7" r="5" className="hf-stroke" strokeDasharray="3.2 2" />
          <path d="M7 2A5 5 0 0 0 7 12Z" className="hf-solid" />
        </>
      );
    case 'square':
      return <rect x="2.25" y="2.25" width="9.5" height="9.5" rx="1" className="hf-solid" />;
    case 'octagon':
      return (
        <>
          <polygon points={octagon} className="hf-solid" />
          <path d="M4.6 4.6 9.4 9.4M9.4 4.6 4.6 9.4" className="hf-cut" />
        </>
      );
    case 'hatched':
      return (
        <>
          <circle cx="7" cy="7" r="5.25" className="hf-stroke" strokeDasharray="1.2 1.6" />
          <path d="M5.4 5.4a1.7 1.7 0 1 1 2.4 1.6c-.6.3-.8.6-.8 1.2" className="hf-stroke" />
          <circle cx="7" cy="10" r="0.8" className="hf-solid" />
        </>
      );
    case 'tick':
      return <path d="M2.5 7.5 5.75 10.75 11.5 4" className="hf-stroke" />;
    case 'slashed':
      return (
        <>
          <circle cx="7" cy="7" r="5" className="hf-stroke" />
          <path d="M3.5 10.5 10.5 3.5" className="hf-stroke" />
        </>
      );
    case 'record':
      return (
        <>
          <circle cx="7" cy="7" r="5" className="hf-stroke" />
          <path d="M7 4.2V7L9 8.3" className="hf-stroke" />
        </>
      );
  }
}

/** The shape of a state, or of something else that looks like one. It says nothing by itself: its word always stands beside it. */
export function StateMark({ look, size = 14 }: { readonly look: Drawn; readonly size?: number }) {
  return (
    <svg
      className={`hf-mark hf-hue-${look.hue}${look.moving ? ' hf-moving' : ''}`}
      width={size}
      height={size}
      viewBox="0 0 14 14"
      aria-hidden="true"
    >
      {drawingOf(look.shape)}
    </svg>
  );
}

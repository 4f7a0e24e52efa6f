import { Button } from '@blueprintjs/core';
import { ArrowDown } from '@blueprintjs/icons';
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { OutputLine } from '../../../core/contract/worker-views.ts';
import { useConsole } from '../../app/console-context.ts';
import { createOutputReader } from '../../stores/output-reader.ts';
import type { Target } from '../../stores/target.ts';
import { FailureCode } from '../../ui/failure-text.tsx';
import { countText } from '../../ui/numbers.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { Skeleton } from '../../ui/state-of-view.tsx';
import { ClockTime } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';

/** How near to the end is at the end. */
const NEAR_PX = 24;

/** What the process's workers wrote, newest last. It follows while the reader is at the end. */
export function WorkerOutput({ target }: { readonly target: Target }) {
  const { client, clock } = useConsole();
  const [reader] = useState(() => createOutputReader(client, clock, target, () => document.hidden));
  const { output, failure, atEnd, loadingOlder } = useStore(reader.store);
  useEffect(() => reader.start(), [reader]);

  const room = useRef<HTMLDivElement>(null);
  const drawn = useRef({ first: 0, heightPx: 0 });
  useLayoutEffect(() => {
    const box = room.current;
    if (box === null || output === null) return;
    if (atEnd) box.scrollTop = box.scrollHeight;
    // Older lines came before what is being read: that stays where it is.
    else if (output.first < drawn.current.first) box.scrollTop += box.scrollHeight - drawn.current.heightPx;
    drawn.current = { first: output.first, heightPx: box.scrollHeight };
  });

  const judge = (): void => {
    const box = room.current;
    if (box !== null) reader.follow(box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR_PX);
  };
  const lines = output?.lines ?? [];

  return (
    <section aria-label="Output of its workers" className="hf-output">
      <SectionHead title="Output">
        <span className="hf-muted">
          {lines.length > 0 &&
            (atEnd ? 'follows the end' : 'stands still while you read; scroll to the end to follow')}
        </span>
      </SectionHead>
      {output === null && failure === null ? (
        <Skeleton lines={4} label="Reading the output" />
      ) : (
        <>
          {failure !== null && (
            <div className="hf-output-failure" role="alert">
              <span className="hf-alarm-text hf-block">
                The output could not be read: {visibleLine(failure.message)}
              </span>
              <FailureCode code={failure.code} message={failure.message} />
              <Button size="small" onClick={() => reader.again()}>
                Try again
              </Button>
            </div>
          )}
          {output !== null && lines.length === 0 && (
            <p className="hf-muted">
              Nothing is kept. What its code logs or prints appears here, also after its worker has ended.
            </p>
          )}
          {output !== null && lines.length > 0 && (
            <div className="hf-output-room">
              {/* The room scrolls on its own, so it has to be reached by the keyboard. */}
              <div
                ref={room}
                className="hf-output-lines"
                role="region"
                aria-label="Lines, oldest first"
                tabIndex={0}
                onScroll={judge}
              >
                <div className="hf-output-begin">
                  {output.before === null ? (
                    <span className="hf-muted">That is the oldest line that is kept.</span>
                  ) : (
                    <Button size="small" loading={loadingOlder} onClick={() => void reader.readOlder()}>
                      Load older
                    </Button>
                  )}
                </div>
                {lines.map((line, at) => (
                  <Line key={output.first + at} line={line} />
                ))}
              </div>
              {!atEnd && (
                <button type="button" className="hf-pill hf-output-end" onClick={() => reader.follow(true)}>
                  <ArrowDown size={12} /> to the end
                </button>
              )}
            </div>
          )}
        </>
      )}
    </section>
  );
}

const STREAMS: Readonly<Record<OutputLine['stream'], string>> = { out: 'out', err: 'err', log: 'log' };

const Line = memo(function Line({ line }: { readonly line: OutputLine }) {
  const kind = line.level ?? STREAMS[line.stream];
  const loud = line.stream === 'err' || line.level === 'error';
  return (
    <div className={loud ? 'hf-output-line hf-output-loud' : 'hf-output-line'}>
      <span className="hf-output-at">
        <ClockTime at={line.at} />
      </span>
      <span className="hf-output-kind" title={`worker ${countText(line.generation)}`}>
        {visibleLine(kind)}
      </span>
      <span className="hf-output-text">{visibleBlock(line.text)}</span>
    </div>
  );
});

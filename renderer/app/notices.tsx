import { Button } from '@blueprintjs/core';
import { Cross, Error as ErrorIcon, TickCircle, WarningSign } from '@blueprintjs/icons';
import { useConsole, usePart } from './console-context.ts';
import { shownNotices, type Notice, type NoticeTone } from '../stores/notices.ts';
import { FailureCode } from '../ui/failure-text.tsx';
import { countText } from '../ui/numbers.ts';
import { visibleBlock } from '../ui/visible-text.ts';

/** Answers and news, in the corner: errors stay until they are read. */
export function Notices() {
  const notices = usePart(
    (console) => console.notices,
    (state) => state.notices,
  );
  const shown = shownNotices(notices);
  const more = notices.length - shown.length;
  return (
    <div className="hf-notices" role="region" aria-label="Notices">
      {more > 0 && <div className="hf-notices-more">{countText(more)} more</div>}
      {shown.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function ToneIcon({ tone }: { readonly tone: NoticeTone }) {
  switch (tone) {
    case 'done':
      return <TickCircle className="hf-hue-success" />;
    case 'attention':
      return <WarningSign className="hf-hue-warning" />;
    case 'alarm':
      return <ErrorIcon className="hf-hue-danger" />;
  }
}

function NoticeCard({ notice }: { readonly notice: Notice }) {
  const { notices } = useConsole();
  const { id, tone, title, message, code, count, step } = notice;
  return (
    <div className={`hf-notice hf-notice-${tone}`} role={tone === 'done' ? 'status' : 'alert'}>
      <ToneIcon tone={tone} />
      <div className="hf-notice-body">
        <div>
          <strong>{title}</strong>
          {count > 1 && <span className="hf-flag">{countText(count)} times</span>}
        </div>
        {message !== '' && <div className="hf-block">{visibleBlock(message)}</div>}
        {code !== null && <FailureCode code={code} message={message} />}
        {step !== undefined && (
          <Button
            size="small"
            onClick={() => {
              notices.dismiss(id);
              step.run();
            }}
          >
            {step.label}
          </Button>
        )}
      </div>
      <Button
        variant="minimal"
        size="small"
        icon={<Cross />}
        aria-label={`Dismiss: ${title}`}
        onClick={() => notices.dismiss(id)}
      />
    </div>
  );
}

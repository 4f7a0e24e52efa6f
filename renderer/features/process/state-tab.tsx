import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { jsonLines } from '../../ui/json-lines.ts';
import { countText } from '../../ui/numbers.ts';
import { ShownOf } from '../../ui/shown-of.tsx';
import { EmptyView } from '../../ui/state-of-view.tsx';
import { Table } from '../../ui/table.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';

type Value = ProcessDetail['context'][number];

/** What the process keeps: every key with its value as it is written. */
export function StateTab({ detail }: { readonly detail: ProcessDetail }) {
  const { context, counts } = detail;
  if (context.length === 0) {
    return (
      <EmptyView title="The state is empty">
        <p>Keys appear here when the process writes its context.</p>
      </EmptyView>
    );
  }
  return (
    <>
      <Table className="hf-context" heads={['Key', 'Value']}>
        {context.map((value) => (
          <tr key={value.key}>
            <th scope="row">
              <CutText text={value.key} room={120} />
            </th>
            <td>
              <ContextValue value={value} />
            </td>
          </tr>
        ))}
      </Table>
      <ShownOf shown={context.length} of={counts.context} what="keys" />
    </>
  );
}

const SHORT = 120;

function ContextValue({ value: { key, text, cut } }: { readonly value: Value }) {
  const short = text.length <= SHORT && !text.includes('\n');
  return (
    <>
      <pre
        className="hf-mono hf-block"
        {...(short ? {} : { tabIndex: 0, 'aria-label': `Value of ${visibleLine(key)}` })}
      >
        {visibleBlock(short ? text : jsonLines(text))}
      </pre>
      {cut && (
        <span className="hf-muted">
          Cut at the host’s limit: the first {countText(text.length)} characters.
        </span>
      )}
    </>
  );
}

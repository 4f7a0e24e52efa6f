import type { BenchResult, Measured, Spread } from './result.ts';

const HEADER = ['', 'median', 'min', 'max', 'unit', 'ratio', 'target', ''];

/** The result for a person, one line for each thing that was measured. */
export function tableOf({ bench, machine, limits, results }: BenchResult): string {
  const { cpu, cores, memoryGiB, kernel, fileSystem, node } = machine;
  const rows = [
    HEADER,
    ...Object.entries(limits).map(([name, limit]) => [name, ...numbersOf(limit), '', '', '']),
    ...results.map(rowOf),
  ];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column >= 1 && column <= 3 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
  return [
    `${bench}: ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${kernel}, ${fileSystem}, Node ${node}`,
    ...lines,
    '',
  ].join('\n');
}

function rowOf(result: Measured): string[] {
  const { name, ratio, target, met } = result;
  return [
    name,
    ...numbersOf(result),
    ratio === undefined ? '' : `${short(ratio.value)} of ${ratio.to.split(':')[0]!}`,
    target === undefined ? '' : `${target.op} ${target.value}`,
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ];
}

function numbersOf({ median, min, max, unit }: Spread): string[] {
  return [short(median), short(min), short(max), unit];
}

function short(value: number): string {
  if (value === 0) return '0';
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en-US')
    : String(Number(value.toPrecision(3)));
}

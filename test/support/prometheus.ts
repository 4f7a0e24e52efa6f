// A strict reader of the text format of Prometheus: what it does not know it refuses.

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*';

/** @throws Error for a line that is not of the format, a sample without its family, or one that is told twice */
export function parsePrometheus(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no line feed');
  const families = new Map<string, { help: string; type: string; samples: Sample[] }>();
  const seen = new Set<string>();
  let helped: readonly [string, string] | null = null;
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const help = new RegExp(`^# HELP (${NAME}) (.+)$`).exec(line);
    const type = new RegExp(`^# TYPE (${NAME}) (counter|gauge)$`).exec(line);
    if (help !== null) {
      helped = [help[1]!, help[2]!];
    } else if (type !== null) {
      current = type[1]!;
      if (helped?.[0] !== current) throw new Error(`${current} has no help right before its type`);
      if (families.has(current)) throw new Error(`${current} is there twice`);
      if ((type[2] === 'counter') !== current.endsWith('_total'))
        throw new Error(`${current} is a ${type[2]}`);
      families.set(current, { help: helped[1], type: type[2]!, samples: [] });
    } else {
      const sample = sampleOf(line);
      if (sample.name !== current) throw new Error(`${sample.name} stands among those of ${current}`);
      const labels = Object.entries(sample.labels).map((pair) => JSON.stringify(pair));
      const key = JSON.stringify([sample.name, ...labels.toSorted()]);
      if (seen.has(key)) throw new Error(`${key} is told twice`);
      seen.add(key);
      families.get(current)!.samples.push(sample);
    }
  }
  return families;
}

function sampleOf(line: string): Sample {
  const [, name, labels, value] =
    new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)$`, 's').exec(line) ?? [];
  if (name === undefined) throw new Error(`no sample: ${JSON.stringify(line)}`);
  return { name, labels: labelsOf(labels ?? ''), value: Number(value) };
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const [whole, label, value] =
      new RegExp(`^(${LABEL})="((?:[^"\\\\\\n]|\\\\["\\\\n])*)"(?:,|$)`).exec(rest) ?? [];
    if (whole === undefined || label === undefined || Object.hasOwn(labels, label))
      throw new Error(`no labels: ${JSON.stringify(rest)}`);
    labels[label] = value!.replaceAll(/\\(["\\n])/g, (_, is: string) => (is === 'n' ? '\n' : is));
    rest = rest.slice(whole.length);
  }
  return labels;
}

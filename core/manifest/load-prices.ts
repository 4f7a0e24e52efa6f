// A workspace's own prices, from the file that a manifest names. What is wrong with it is said with its line, and nothing of
// it is used then: a price that was guessed would be counted.

import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import { AppError, messageOf } from '../model/errors.ts';
import { KNOWN_PRICES } from '../model/known-prices.ts';
import { MAX_MODEL_NAME, MAX_TOKENS } from '../model/limits.ts';
import type { ModelPrice, PriceTable } from '../model/prices.ts';
import { isInside } from './is-inside.ts';
import { knownKeys } from './known-keys.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_MODELS = 5_000;
/** For a million tokens: beyond it a number is a slip of the unit. */
const MAX_PRICE = 1e6;

const Price = z.number().min(0).max(MAX_PRICE);
const Tokens = z.number().int().min(1).max(MAX_TOKENS);

const PriceFile = z.strictObject({
  version: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine(
      (version) => version !== KNOWN_PRICES.version,
      `is the name of the prices that come with Holdfast: give these another`,
    ),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters, like USD'),
  models: z
    .record(
      z.string().min(1).max(MAX_MODEL_NAME),
      z.strictObject({
        input: Price,
        cached_read: Price.nullish(),
        cached_write: Price.nullish(),
        output: Price,
        max_input_tokens: Tokens.nullish(),
        max_output_tokens: Tokens.nullish(),
      }),
    )
    .refine(
      (models) => Object.keys(models).length <= MAX_MODELS,
      `at most ${MAX_MODELS} models have a price`,
    ),
});

interface Place {
  readonly workspace: string;
  readonly manifest: string;
  /** As the manifest has it, relative to itself. */
  readonly file: string;
}

/** @throws `prices.*`; nobody's else prices take its place */
export function loadPrices(place: Place): PriceTable {
  const path = pathOf(place);
  const lines = new LineCounter();
  const document = parseDocument(readText(place, path), { lineCounter: lines, prettyErrors: false });
  const [broken] = [...document.errors, ...document.warnings];
  if (broken !== undefined) {
    throw invalid(place, path, [`line ${lines.linePos(broken.pos[0]).line}: ${broken.message}`]);
  }
  const parsed = PriceFile.safeParse(document.toJS());
  if (parsed.success) return tableOf(parsed.data);
  throw invalid(
    place,
    path,
    parsed.error.issues.map((issue) => `line ${lineOf(document, lines, issue)}: ${issueText(issue)}`),
  );
}

function pathOf(place: Place): string {
  const { workspace, manifest, file } = place;
  const path = resolve(dirname(manifest), file);
  try {
    // A link may lead out of the workspace, and the workspace itself may be reached by one.
    if (isInside(realpathSync(workspace), realpathSync(path))) return path;
  } catch (error) {
    throw unreadable(place, messageOf(error), error);
  }
  throw new AppError(
    'prices.outside-workspace',
    `${manifest} names the prices ${file}, which are not inside the workspace. Move the file into it.`,
    { manifest, file },
  );
}

function readText(place: Place, path: string): string {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) throw new Error('it is no file');
    if (stat.size > MAX_BYTES) throw new Error(`it has ${stat.size} bytes, and ${MAX_BYTES} is the most`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(place, messageOf(error), error);
  }
}

function unreadable({ manifest, file }: Place, why: string, cause: unknown): AppError {
  return new AppError(
    'prices.unreadable',
    `${manifest} names the prices ${file}, which can't be read, so its process is not run: ${why}.`,
    { manifest, file },
    { cause },
  );
}

function invalid({ manifest }: Place, path: string, problems: readonly string[]): AppError {
  return new AppError(
    'prices.invalid',
    `${path} can't be used for prices, so the process of ${manifest} is not run: ${problems.join('; ')}.`,
    { path, manifest, problems },
  );
}

/** Of what is wrong, or of the nearest that is around it. */
function lineOf(document: Document, lines: LineCounter, { path }: z.core.$ZodIssue): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function issueText(issue: z.core.$ZodIssue): string {
  const where = issue.path.length === 0 ? 'the file' : issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return `${where}: ${issue.message}`;
  const known = knownKeys(PriceFile, issue.path).join(', ');
  return `${where} has ${issue.keys.map((key) => `"${key}"`).join(', ')}, which is not a setting; there are ${known}`;
}

function tableOf({ version, currency, models }: z.output<typeof PriceFile>): PriceTable {
  return {
    version,
    currency,
    models: Object.fromEntries(
      Object.entries(models).map(([name, price]): [string, ModelPrice] => [
        name,
        {
          input: price.input,
          cachedRead: price.cached_read ?? null,
          cachedWrite: price.cached_write ?? null,
          output: price.output,
          maxInput: price.max_input_tokens ?? null,
          maxOutput: price.max_output_tokens ?? null,
        },
      ]),
    ),
  };
}

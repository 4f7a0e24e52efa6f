// The parts of a stream as one answer, and what of them somebody who watches gets to see.

import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';

/** What is seen while a model answers. None of it is the answer: that comes whole, at the end. */
export type Glimpse =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'tool'; readonly id: string; readonly name: string }
  /** What was seen until now is void: another attempt begins. */
  | { readonly kind: 'again'; readonly why: string };

type Collected = Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage' | 'warnings'>;

export interface StreamCollector {
  /** @throws what the provider says went wrong */
  add(part: LanguageModelV4StreamPart): Glimpse | null;
  /** Null where the stream ended before its end. */
  end(): Collected | null;
}

interface Block {
  readonly type: 'text' | 'reasoning';
  readonly texts: string[];
  marks: SharedV4ProviderMetadata | undefined;
}

export function collectStream(): StreamCollector {
  const content: (LanguageModelV4Content | Block)[] = [];
  const blocks = new Map<string, Block>();
  let warnings: Collected['warnings'] = [];
  let finish: Pick<Collected, 'finishReason' | 'usage'> | null = null;

  /** A block that was not announced is begun by what comes of it. */
  const block = (type: Block['type'], id: string): Block => {
    const key = `${type} ${id}`;
    let found = blocks.get(key);
    if (found === undefined) {
      found = { type, texts: [], marks: undefined };
      blocks.set(key, found);
      content.push(found);
    }
    return found;
  };
  const write = (
    type: Block['type'],
    {
      id,
      delta = '',
      marks,
    }: { readonly id: string; readonly delta?: string; readonly marks: Block['marks'] },
  ): void => {
    const into = block(type, id);
    if (delta !== '') into.texts.push(delta);
    into.marks = marks ?? into.marks;
  };

  return {
    add(part) {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
          // An id may be used again for another block.
          blocks.delete(`${typeOf(part.type)} ${part.id}`);
          write(typeOf(part.type), { id: part.id, marks: part.providerMetadata });
          return null;
        case 'text-delta':
        case 'reasoning-delta': {
          const type = typeOf(part.type);
          write(type, { id: part.id, delta: part.delta, marks: part.providerMetadata });
          return part.delta === '' ? null : { kind: type, text: part.delta };
        }
        case 'text-end':
        case 'reasoning-end':
          write(typeOf(part.type), { id: part.id, marks: part.providerMetadata });
          return null;
        case 'tool-input-start':
          return { kind: 'tool', id: part.id, name: part.toolName };
        case 'tool-call':
        case 'tool-result':
        case 'tool-approval-request':
        case 'custom':
        case 'file':
        case 'reasoning-file':
        case 'source':
          content.push(part);
          return null;
        case 'stream-start':
          ({ warnings } = part);
          return null;
        case 'finish':
          finish = { finishReason: part.finishReason, usage: part.usage };
          return null;
        case 'error':
          throw part.error;
        case 'tool-input-delta':
        case 'tool-input-end':
        case 'response-metadata':
        case 'ping':
        case 'raw':
          return null;
      }
    },
    end: () =>
      finish === null
        ? null
        : { ...finish, warnings, content: content.map((part) => ('texts' in part ? whole(part) : part)) },
  };
}

function typeOf(type: `text-${string}` | `reasoning-${string}`): Block['type'] {
  return type.startsWith('text') ? 'text' : 'reasoning';
}

function whole({ type, texts, marks }: Block): LanguageModelV4Content {
  return { type, text: texts.join(''), ...(marks === undefined ? {} : { providerMetadata: marks }) };
}

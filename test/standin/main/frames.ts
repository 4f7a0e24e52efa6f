import type { Payload, Protocol } from '../chromium/protocol.ts';
import { schemes } from './protocol.ts';
import { originOf, toApp } from './scheme-map.ts';

let lastNodeId = 0;

type Kept =
  | 'detached'
  | 'frames'
  | 'framesInSubtree'
  | 'frameToken'
  | 'frameTreeNodeId'
  | 'isDestroyed'
  | 'name'
  | 'origin'
  | 'parent'
  | 'processId'
  | 'routingId'
  | 'top'
  | 'url';

/** A frame as main sees it. Chromium outside Electron tells no process and routing ids: the tree node's serves. */
export class WebFrameMain implements Record<Kept, unknown> {
  readonly frameToken: string;
  readonly frameTreeNodeId = ++lastNodeId;
  readonly processId = 1;
  readonly routingId = this.frameTreeNodeId;
  readonly parent: WebFrameMain | null;
  readonly children = new Set<WebFrameMain>();
  url = '';
  name = '';
  detached = false;

  constructor(frameToken: string, parent: WebFrameMain | null) {
    this.frameToken = frameToken;
    this.parent = parent;
    parent?.children.add(this);
  }

  get origin(): string {
    return originOf(this.url);
  }

  get top(): WebFrameMain {
    return this.parent?.top ?? this;
  }

  get frames(): WebFrameMain[] {
    return [...this.children];
  }

  get framesInSubtree(): WebFrameMain[] {
    return [this, ...this.frames.flatMap((frame) => frame.framesInSubtree)];
  }

  isDestroyed(): boolean {
    return this.detached;
  }
}

/** The frames of one page, and which of them a script context belongs to. */
export class FrameTree {
  readonly #frames = new Map<string, WebFrameMain>();
  readonly #contexts = new Map<number, WebFrameMain>();
  main = new WebFrameMain('', null);

  /** For a new target: its main frame has the target's id. */
  reset(mainFrameId: string): void {
    this.#frames.clear();
    this.#contexts.clear();
    const { url } = this.main;
    this.main = new WebFrameMain(mainFrameId, null);
    this.main.url = url;
    this.#frames.set(mainFrameId, this.main);
  }

  frame(id: string): WebFrameMain | undefined {
    return this.#frames.get(id);
  }

  attached({ frameId, parentFrameId }: Payload<'Page.frameAttached'>): void {
    const parent = this.#frames.get(parentFrameId);
    if (parent && !this.#frames.has(frameId)) this.#frames.set(frameId, new WebFrameMain(frameId, parent));
  }

  detached({ frameId, reason }: Payload<'Page.frameDetached'>): void {
    const frame = this.#frames.get(frameId);
    if (!frame || reason === 'swap') return;
    for (const gone of frame.framesInSubtree) {
      gone.detached = true;
      this.#frames.delete(gone.frameToken);
    }
    frame.parent?.children.delete(frame);
  }

  navigated({ id, url, urlFragment = '', name = '' }: Protocol.Page.Frame): WebFrameMain | undefined {
    const frame = this.#frames.get(id);
    if (!frame) return undefined;
    frame.url = toApp(url + urlFragment, schemes());
    frame.name = name;
    return frame;
  }

  contextCreated(contextId: number, frameId: string): void {
    const frame = this.#frames.get(frameId);
    if (frame) this.#contexts.set(contextId, frame);
  }

  contextDestroyed(contextId: number): void {
    this.#contexts.delete(contextId);
  }

  contextsCleared(): void {
    this.#contexts.clear();
  }

  /** Null if the frame has navigated or gone since. */
  frameOf(contextId: number): WebFrameMain | null {
    return this.#contexts.get(contextId) ?? null;
  }

  /** The context of the main frame's isolated world, once its document has begun. */
  mainContext(): number | undefined {
    return [...this.#contexts].findLast(([, frame]) => frame === this.main)?.[0];
  }
}

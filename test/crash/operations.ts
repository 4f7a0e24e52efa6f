// What is on record of a run: every change to the disk in order, and between them what the writer had promised by then.

/** Stands for one file whatever it is called: a file keeps it over renames, and none is given out twice. */
export type FileId = number;

export type Operation =
  | { readonly kind: 'create'; readonly path: string; readonly file: FileId }
  | { readonly kind: 'write'; readonly file: FileId; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: FileId; readonly sizeBytes: number }
  /** `since`: the operations before that one are what it covers; later ones came while it was under way. */
  | { readonly kind: 'sync'; readonly file: FileId; readonly since: number }
  /** The pages it covers count as clean from now on, whether they reached the disk or not. */
  | { readonly kind: 'failed-sync'; readonly file: FileId; readonly since: number }
  | { readonly kind: 'sync-directory'; readonly path: string; readonly since: number }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly file: FileId }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'make-directory'; readonly path: string }
  | { readonly kind: 'acknowledged'; readonly process: string; readonly entryId: string };

/** A directory's content by path relative to it, `/` between names; null stands for a directory. */
export type Tree = ReadonlyMap<string, Buffer | null>;

/** All paths are relative to the directory that was recorded. */
export interface Recording {
  /** What was there, durably, before the first operation, and the files' numbers. */
  readonly before: Tree;
  readonly fileIds: ReadonlyMap<string, FileId>;
  /** The file that an inode of the recorded disk stands for. */
  readonly inodes: ReadonlyMap<number, FileId>;
  readonly operations: readonly Operation[];
}

/** What an operation is about, for a person. */
export function sayOperation(operation: Operation): string {
  switch (operation.kind) {
    case 'create':
      return `create ${operation.path} as file ${operation.file}`;
    case 'write':
      return `write file ${operation.file} at ${operation.offset}, ${operation.bytes.length} bytes`;
    case 'truncate':
      return `truncate file ${operation.file} to ${operation.sizeBytes}`;
    case 'sync':
    case 'failed-sync':
      return `${operation.kind} file ${operation.file}`;
    case 'rename':
      return `rename ${operation.from} to ${operation.to}`;
    case 'sync-directory':
    case 'remove':
    case 'make-directory':
      return `${operation.kind} ${operation.path || '.'}`;
    case 'acknowledged':
      return `acknowledged ${operation.process} ${operation.entryId}`;
  }
}

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

export const project = resolve(import.meta.dirname, '../..');

interface FileAssociation {
  readonly ext: string;
  readonly mimeType?: string;
  readonly isPackage?: boolean;
  readonly icon?: string;
}

/** As much of electron-builder.yml as the tests look at. */
export interface BuilderConfiguration {
  readonly appId: string;
  readonly electronFuses: Readonly<Record<string, boolean>>;
  readonly npmRebuild: boolean;
  readonly fileAssociations: readonly FileAssociation[];
  readonly extraResources: readonly { readonly from: string; readonly to: string }[];
  readonly linux: { readonly target: readonly string[]; readonly icon: string };
  readonly mac: {
    readonly target: readonly string[];
    readonly icon: string;
    readonly hardenedRuntime: boolean;
    readonly entitlements: string;
    readonly entitlementsInherit: string;
    readonly fileAssociations: readonly FileAssociation[];
  };
  readonly win: { readonly target: readonly string[]; readonly icon: string };
  readonly nsis: { readonly include: string };
}

export function builderConfiguration(): BuilderConfiguration {
  return parse(readFileSync(join(project, 'electron-builder.yml'), 'utf8')) as BuilderConfiguration;
}

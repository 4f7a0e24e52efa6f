#!/usr/bin/env node
// The `holdfast` command as a program.

import { keepCompiledCode } from '../host/compiled-code.ts';

keepCompiledCode();
const { main } = await import('./holdfast.ts');

// Everything is written by then; nothing that still waits is worth waiting for.
process.exit(await main(process.argv.slice(2)));

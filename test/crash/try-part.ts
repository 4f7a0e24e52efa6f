// Tries one part of all there is, by its place among so many slices, and gives what came of it as JSON: for
// test/bench/crash.ts, which runs several side by side.

import { emptyTally } from './explore.ts';
import { allParts } from './parts.ts';
import { scratch } from './scratch.ts';

const [at, slices, seconds] = process.argv.slice(2).map(Number) as [number, number, number];
const tally = emptyTally();
using place = scratch();
const until = performance.now() + seconds * 1000;
await allParts(slices)[at]!.run({ root: place.directory, tally, goesOn: () => performance.now() < until });
console.log(JSON.stringify(tally));

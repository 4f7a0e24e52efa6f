// Plain JavaScript that any Node can run: it has to say in words what an older one would say in a stack trace.
'use strict';

var NEEDED = 24;
var major = Number(process.versions.node.split('.')[0]);
if (major < NEEDED) {
  process.stderr.write(
    'Holdfast needs Node ' +
      NEEDED +
      ' or newer and this is ' +
      process.versions.node +
      ': run `npm ci`, which brings it, and start with `npm start`, which uses it.\n',
  );
  process.exit(1);
}

// Expressions to ask both evaluators about, and events to ask them for.

import fc from 'fast-check';
import { RawNumber, type Json, type JsonObject } from '../../core/model/json.ts';

export const PAYLOAD: JsonObject = {
  action: 'opened',
  count: 3,
  ratio: 0.25,
  draft: false,
  nothing: null,
  labels: ['bug', 'urgent', 7, null],
  user: { login: 'Ada', id: 9007199254740991, tags: [] },
  big: new RawNumber('123456789012345678901234567890'),
  odd: new RawNumber('NaN'),
  huge: new RawNumber('1e400'),
  text: ' Straße "ΟΔΟΣ" it\'s 😀\n',
  ['__proto__']: 'own',
  constructor: { name: 'own too' },
  class: 'reserved',
  fi: 'ligature',
  True: 'never reached',
};

/** One for each rule of the language that is easy to get wrong; none of them differs. */
export const EDGES = `
action == 'opened' and 'bug' in labels|payload['action'] == "opened"|payload.user.login.lower() == 'ada'|user['id'] > 2
count == 3.0|count == True|True == 1|1 < 2 < 3|1 < 3 < 2|3 > 2 > 1 == True|not count|not not labels|-count < 0|--count|-True
count is None|nothing is None|missing is None|draft is False|count is not None|missing.deeper.still is None|-draft
labels[0]|labels[-1]|labels[9]|labels[-9]|labels[True]|labels[1.0]|labels['0']|labels[10 ** 2]|labels[99999999999999999999]
text[3]|text[-2]|text[-3]|len(text)|text.strip()|text.upper()|text.lower()|str(text)|str(labels)|str(user)|str((text,))
user[[]]|user[{1}]|user[(1, [])]|user[(1, 2)]|user[1, 2]|user[None]|count['x']|missing['x']|nothing.x|(1).x|'abc'.x
[] in {1}|{1} in {2}|[1] in [[1]]|(1,) in {(1,)}|1 in {1.0}|True in [1]|'a' in 'cat'|1 in 'cat'|'x' in user|[] in user
{1, True, 1.0}|{[]}|{(1, 2), (1, 2)}|{1} < {1, 2}|{1, 2} <= {2, 1}|{1} == {1.0}|{1} > {2}|[1, 2] < [1, 3]|(1,) < [2]|[] < [0]
[1, 'a'] < [1, 2]|[odd] == [odd]|odd == odd|odd in [odd]|odd is odd|float('nan') in [float('nan')]|[odd, 1] < [odd, 2]
odd < 1|odd != odd|bool(odd)|-odd == -odd|{odd, odd}|odd in {odd}|labels == labels|user == user|payload == payload
labels < labels|user < user|None < 3|'a' < 1|'a' < 'b'|'\u{ffff}' < '😀'|'😀' > 'z'|big > 1e29|big == 1.2345678901234568e29
9007199254740993 == 9007199254740992.0|9007199254740993 > 9007199254740992.0|2 == 2.0000000000000001|huge > big|str(huge)
str(big)|str(1e16)|str(1e15)|str(0.0001)|str(0.00001)|str(-0.0)|str(float('3'))|str(1e22)|str(123456789.123)|str(5e-324)
str(None)|str(True)|str()|bool()|str(1,)|lower(labels)|upper(None)|lower(text)|len('')|len(())|len(user)|len(3)|len(None)
int('7')|int(' 7 ')|int('1_000')|int('+5')|int('-5')|int('1.5')|int(1.9)|int(-1.9)|int(True)|int('')|int(None)|int(odd)|int(huge)
float('1_0.5e1_0')|float(' .5 ')|float('5.')|float('1e')|float('-Infinity')|float('iNf')|float('1__0')|float(big)|float('')
int('${'1'.repeat(64)}')|int('${'1'.repeat(65)}')|float('${'1'.repeat(65)}')|int(' ${'1'.repeat(63)}')|float(${'9'.repeat(309)})
startswith(action, 'open')|startswith(action, ('x', 'open'))|startswith(action, ('open', 1))|startswith(action, (1, 'open'))
startswith(action, ['open'])|startswith(count, '3')|endswith(action, 'ed')|endswith(None, 'ne')|contains(labels, 'bug')
contains(user, 'login')|contains(None, 1)|contains('abc', 1)|action.startswith('pen', 1)|action.startswith('', 7)|action.startswith('', 6)
action.startswith('', 2, 1)|action.endswith('ope', None, 3)|action.endswith('ope', -9, -3)|action.startswith('o', 1.5)|text.startswith('S', True)
action.startswith('opened', 0, 999999999999999999999)|action.startswith('', -99999999999999999999)|text.endswith('\\n')|text.startswith('t', 3, 5)
action.strip('od')|action.strip('')|action.strip(None)|action.strip(1)|'\\u3000x\\x1c'.strip()|'\\ufeffx'.strip()|'😀x😀'.strip('😀')
count.lower()|missing.lower()|labels.lower()|'ß'.upper()|'ŉ'.upper()|'İ'.lower()|'ΟΔΟΣ'.lower()|'ﬁ'.upper()|'ǅ'.lower()
a, b|a,|()|(a)|(count)|(count,)|[count,]|{count,}|[]|{}|(len)(labels)|(action.lower)()|payload['lower']()|len(labels,)|len(,)
(count == 3) is True|count == 3 is True|not draft == False|not (draft == True)|draft or action|draft and action|nothing or []|'' or 0
1 or missing < 1|missing < 1 or 1|draft and missing < 1|action if draft else 1|lambda: 1|[x for x in labels]|{'a': 1}|f'{action}'|b'x'
count + 1|count * 2|count ** 2|-count|+count|~count|count // 2|count % 2|count @ 1|count << 1|count & 1|count | 1|count ^ 1
labels[0:1]|labels[0:1, 2]|labels[*a]|[*labels]|len(*labels)|str(object=1)|(x := 1)|await x|yield x|...|1j|1if|1or 2|0xfor 1|1and 2
01|00|0_0|0_7|0777|1__0|1_|0x_ff|0b1_0|0b2|0o17|0o8|1_0.0_1e1_0|01.5|1.|.5|1.e5|1e|1e+|.|1..x|1.x|1 .x|1e400|-1e400|0XfF|1E5
'a' 'b'|'a' "b" 'c'|u'a'|U'a'|r'\\n'|R"\\'"|ur'a'|br'a'|'\\n\\t\\x41\\101\\u00e9\\U0001F600'|'\\777'|'\\q'|'\\x4'|'\\u12'|'\\U00110000'
'abc|"abc|'''abc|'''a"b'c'''|""|''''''|'\\|a = 1|a <> b|a!|a;b|$a|a?b|\`a\`|a.|a.b.|a[|a[]|(a|a)|(a]|a in|in a|a not b|not|and|a and|1 2|a b
payload.class|payload.match|payload['class']|payload.None|payload['__proto__']|__proto__|_x|payload._x|payload['__class__']|constructor.name
payload['constructor']['name']|toString|payload.toString|payload.hasOwnProperty|payload['toString']|''.join(labels)|user.items()|len|str == None
ﬁ|ｐａｙｌｏａｄ.count|Ｔrue|ａnd|é|℘|a·b|metadata.method|metadata['headers']['x-event']|trigger_type == 'webhook'|trigger_id|event_id
a\u00a0b|\u00a0count\u3000|count # a comment|# only a comment|a == b == c|1 == 1 != 2|'bug' in labels in [labels]|count in [1, 2, 3]|not in labels
count not in [1]|not count in [1]|count is not 3 is None|{1, 'a', None, (2, 3)}|((((count))))|text in (text,)|[[1, [2]], (3,)] == [[1, [2]], (3,)]
[1] == (1,)|() == []|'1' == 1|None == False|0 == False|0 == None|'' == None|[None] == [None]|[0] == [False]|{0} == {False}|user == {1}
`
  .split(/[|\n]/)
  .filter((expression) => expression !== '');
export const MORE_EDGES = [
  '',
  ' ',
  'a\n',
  'a\nb',
  '# c\na',
  'a\n# d\n',
  '(a\nand b)',
  'a \\\nand b',
  'a \\ and b',
  "'a\\\nb'",
  "'a\\\r\nb'",
  "'a\nb'",
  "'''a\r\nb\rc'''",
  "r'''a\r\nb'''",
  'a\r\n',
  'count\t==\f3',
  'a\0b',
  "'\0'",
  "'\ud800'",
  "'|'",
  'count | 1',
  "'x' in 'a|x'",
  `'${'x'.repeat(1998)}'`,
  `'${'x'.repeat(1999)}'`,
  `'${'😀'.repeat(1998)}'`,
  `[${'1,'.repeat(197)}]`,
  `[${'1,'.repeat(198)}]`,
  `${'not '.repeat(98)}a`,
  `${'not '.repeat(99)}a`,
  `${'-'.repeat(98)}1`,
  `${'a and '.repeat(98)}b`,
  `${'a.b or '.repeat(39)}1`,
  `${'a < '.repeat(65)}1`,
  `${'('.repeat(90)}count${')'.repeat(90)}`,
  `${'('.repeat(300)}count${')'.repeat(300)}`,
  `str(${'1'.repeat(1_900)})`,
  `${'a[0]'.repeat(30)} is None`,
];

const quote = (text: string): string => JSON.stringify(text);
const TEXTS =
  `|a|bug|BUG |Straße|ΟΔΟΣ|😀|a😀b|it's|12| 7 |-3|1_000|1.5|1e3|nan|-inf|0x10|${'1'.repeat(65)}|\u2028|\u00a0x|back\\slash`
    .split('|')
    .concat(' opened\n', '"', '\'"', '\u0000', '\u{10ffff}', '\ufffd');
const NUMBERS: readonly Json[] = [
  0,
  1,
  -1,
  2,
  3,
  255,
  7.5,
  0.1,
  -0.5,
  1e16,
  1e21,
  1e300,
  1e-7,
  2 ** 53,
].concat(
  [
    '9007199254740993',
    '-98765432109876543210',
    'NaN',
    'Infinity',
    '-Infinity',
    '1e400',
    '0.1000000000000000001',
  ].map((source) => new RawNumber(source)) as never[],
);
const KEYS = ['a', 'b', 'c', 'd', 'é'];

const scalars = fc.oneof(
  fc.constantFrom<Json>(...TEXTS, ...NUMBERS),
  fc.constantFrom<Json>(null, true, false),
);
const payloads = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 4 }),
  ),
}));
export const events: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(...KEYS.map(() => payloads.value))
      .map((values) => Object.fromEntries(KEYS.map((key, at) => [key, values[at]!]))),
  },
  { weight: 1, arbitrary: payloads.value },
);

const literals = fc.oneof(
  fc
    .constantFrom(...TEXTS)
    .map(quote)
    .map((text) => text.replaceAll(/\\u2028/g, '\u2028')),
  fc.constantFrom(
    '0',
    '1',
    '-1',
    '2',
    '3',
    '7.5',
    '1e16',
    '1e300',
    '9007199254740993',
    '0xff',
    '.5',
    '1_0',
    '-0.0',
  ),
  fc.constantFrom('None', 'True', 'False', '[]', '()'),
);
const names = fc.constantFrom(...KEYS, 'missing', 'payload', 'metadata', 'trigger_type');
export const expressions = fc.letrec<{
  value: string;
  path: string;
  item: string;
  call: string;
  set: string;
  test: string;
}>((tie) => ({
  path: fc.oneof(
    { depthSize: 'small' },
    names,
    fc.tuple(tie('path'), fc.constantFrom(...KEYS, 'x')).map(([of, key]) => `${of}.${key}`),
    fc.tuple(tie('path'), literals).map(([of, key]) => `${of}[${key}]`),
    fc.tuple(tie('path'), fc.integer({ min: -4, max: 4 })).map(([of, at]) => `${of}[${at}]`),
  ),
  item: fc.oneof(literals, tie('path'), tie('call')),
  set: fc.array(tie('item'), { minLength: 1, maxLength: 3 }).map((items) => `{${items.join(', ')}}`),
  call: fc.oneof(
    { depthSize: 'small' },
    tie('path'),
    fc
      .tuple(fc.constantFrom('len', 'str', 'int', 'float', 'bool', 'lower', 'upper'), tie('item'))
      .map(([name, of]) => `${name}(${of})`),
    fc
      .tuple(fc.constantFrom('startswith', 'endswith', 'contains'), tie('item'), tie('item'))
      .map(([name, of, part]) => `${name}(${of}, ${part})`),
    fc
      .tuple(fc.constantFrom('str', 'lower'), tie('path'), fc.constantFrom('lower', 'upper', 'strip'))
      .map(([name, of, method]) => `${name}(${of}).${method}()`),
    fc
      .tuple(tie('path'), fc.constantFrom('startswith', 'endswith', 'strip'), literals)
      .map(([of, name, part]) => `${of}.${name}(${part})`),
    fc
      .tuple(
        tie('path'),
        fc.constantFrom('startswith', 'endswith'),
        literals,
        fc.integer({ min: -4, max: 4 }),
        fc.integer({ min: -4, max: 4 }),
      )
      .map(([of, name, part, from, to]) => `str(${of}).${name}(${part}, ${from}, ${to})`),
  ),
  value: fc.oneof(
    { depthSize: 'small' },
    tie('item'),
    tie('item'),
    fc.array(tie('item'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc.array(tie('item'), { minLength: 1, maxLength: 3 }).map((items) => `(${items.join(', ')},)`),
    tie('item').map((of) => `-${of}`),
  ),
  test: fc.oneof(
    { depthSize: 'small' },
    tie('value'),
    fc
      .tuple(tie('value'), fc.constantFrom('==', '!=', '<', '<=', '>', '>=', 'in', 'not in'), tie('value'))
      .map((parts) => parts.join(' ')),
    fc
      .tuple(
        tie('value'),
        fc.constantFrom('==', '<', '>=', 'in'),
        tie('value'),
        fc.constantFrom('!=', '<=', 'in'),
        tie('value'),
      )
      .map((parts) => parts.join(' ')),
    fc.tuple(tie('value'), fc.constantFrom('in', 'not in', '=='), tie('set')).map((parts) => parts.join(' ')),
    fc
      .tuple(tie('set'), fc.constantFrom('<', '<=', '>', '>=', '=='), tie('set'))
      .map((parts) => parts.join(' ')),
    fc
      .tuple(tie('value'), fc.constantFrom('is', 'is not'), fc.constantFrom('None', 'True', 'False'))
      .map((parts) => parts.join(' ')),
    fc.tuple(tie('test'), fc.constantFrom('and', 'or'), tie('test')).map((parts) => parts.join(' ')),
    tie('test').map((of) => `not ${of}`),
    tie('test').map((of) => `(${of})`),
  ),
}));

export const misspelt = fc
  .tuple(
    expressions.test,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat({ max: 2 }),
        fc.constantFrom(...`'"\\()[]{},.:=<>!-+_ 0aeéinort#\n`.split('')),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((now, [at, kind, put]) => {
      const points = Array.from(now);
      points.splice(at % (points.length + 1), kind === 0 ? 0 : 1, ...(kind === 2 ? [] : [put]));
      return points.join('');
    }, text),
  );

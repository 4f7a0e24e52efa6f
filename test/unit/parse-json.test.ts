import { expect, test } from 'vitest';
import { parseJson } from '../../core/host/parse-json.ts';
import { RawNumber, showJson } from '../../core/model/json.ts';

test('what was typed keeps every digit', () => {
  const value = parseJson('{"id": 12345678901234567890, "small": 5, "list": [1e400]}', 'payload');
  expect(value).toEqual({
    id: new RawNumber('12345678901234567890'),
    small: 5,
    list: [new RawNumber('1e400')],
  });
  expect(showJson(value)).toBe('{"id":12345678901234567890,"small":5,"list":[1e400]}');
  expect(parseJson('9007199254740993', 'value')).toEqual(new RawNumber('9007199254740993'));
});

test.each(['NaN', '{"a": Infinity}', '{a: 1}', '', 'text'])(
  '%j is no JSON, and what to do is said',
  (text) => {
    expect(() => parseJson(text, 'payload')).toThrow(
      expect.objectContaining({
        code: 'request.not-json',
        message: expect.stringMatching(
          /^The payload is not JSON: .* A text needs quotes: "like this"\.$/s,
        ) as string,
      }),
    );
  },
);

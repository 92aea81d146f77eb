import { describe, expect, it } from 'vitest';
import {
  defaultTexts,
  fieldsOf,
  isPlain,
  readFields,
  textsOf,
  wordsOfSchema,
} from '../../src/console/views/servers/json-schema.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1, maxLength: 9 },
    count: { type: 'integer', minimum: 1, default: 3 },
    isDeep: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
    mode: { enum: ['a', 2] },
    tags: { type: ['array', 'null'], items: { type: 'string' } },
    filter: { type: 'object' },
  },
  required: ['text'],
};
const fields = fieldsOf(schema);

describe('the form of a tool', () => {
  it('has a field for each argument, whatever strangers write into a schema', () => {
    expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'text text',
      'count integer',
      'isDeep boolean',
      'mode choice',
      'tags list',
      'filter json',
    ]);
    expect(fields.map(({ type }) => type)).toEqual([
      'string, 1 to 9 characters',
      'integer, at least 1',
      'boolean or null',
      '"a" | 2',
      'array or null',
      'object',
    ]);
    for (const odd of [
      {},
      { properties: 7 },
      { properties: { a: null, b: [], c: { type: 4, enum: 'x' } } },
      { properties: null },
    ])
      expect(() => fieldsOf(odd).map(({ type }) => type)).not.toThrow();
    expect(isPlain(schema)).toBe(true);
    expect(isPlain({ anyOf: [] })).toBe(false);
  });

  it('reads what was typed, leaves out what was not, and says what is wrong', () => {
    const texts = { text: 'x', count: '2', isDeep: 'false', mode: '1', tags: 'a\nb\n', filter: '{"a":[1]}' };
    const values = { text: 'x', count: 2, isDeep: false, mode: 2, tags: ['a', 'b'], filter: { a: [1] } };
    expect(readFields(fields, texts)).toEqual({ values, errors: {} });
    expect(readFields(fields, textsOf(fields, values))).toEqual({ values, errors: {} });
    expect(readFields(fields, { count: '1.5', filter: '{' })).toEqual({
      values: {},
      errors: {
        text: 'Required.',
        count: 'Must be a whole number.',
        filter: expect.stringContaining('Not valid JSON'),
      },
    });
    expect(defaultTexts(fields)).toEqual({ count: '3' });
  });

  it('says of a schema that refers to itself no more than it can', () => {
    const circle: Record<string, unknown> = { type: 'array' };
    circle.items = circle;
    expect(wordsOfSchema(circle)).toBe('list of list of list of array');
  });
});

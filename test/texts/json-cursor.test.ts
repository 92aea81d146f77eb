import { expect, it } from 'vitest';
import { cursorInJson } from '../../src/texts/json-cursor.ts';
import { hasTooMuch } from '../../src/texts/json-source.ts';

it('finds the cursor behind a text that is full of brackets', () => {
  const text = `{ "a": "${'['.repeat(500)}", "" }`;
  expect(cursorInJson(text, text.length - 3)).toMatchObject({ isAtKey: true, siblings: ['a'] });
});

it('S-62 finds nothing in a text that goes too deep, whichever brackets pretend to close it', () => {
  for (const level of ['[', '{"a":', '[},', '{"a":],"b":', '"}]"[[']) {
    const text = level.repeat(5_000);
    expect(hasTooMuch(text)).toBe(true);
    expect(cursorInJson(text, text.length)).toBeUndefined();
  }
});

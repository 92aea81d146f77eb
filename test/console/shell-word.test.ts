/** Commands that the console offers to be copied. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from '../../src/console/shell-word.ts';

it.each([
  '/srv/app',
  '/srv/it’s “here”',
  "a'b\\c $HOME `id` !x",
  'x\u0003\nid > /tmp/y\n',
  'a\u001b[201~\rb',
  '\u202e\u200bא\u2028',
  "\\'\t1",
])('S-11 means %j to the letter, and holds nothing that a terminal obeys', (text) => {
  const word = shellWord(text);
  expect(word).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(execFileSync('bash', ['-c', `printf %s ${word}`], { encoding: 'utf8' })).toBe(text);
});

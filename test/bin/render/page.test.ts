/** The page of a terminal. */
import type { WriteStream } from 'node:tty';
import { expect, it } from 'vitest';
import { terminalSheet } from '../../../src/bin/render/page.ts';

it.each([
  [60, 60],
  [500, 110],
  // A terminal that does not tell its size.
  [0, 80],
  [undefined, 80],
])('a terminal of %s columns has a page of %i', (columns, width) => {
  const stream = { isTTY: true, columns, hasColors: () => false } as unknown as WriteStream;
  expect(terminalSheet('/home/ada', '/shop', stream).width).toBe(width);
});

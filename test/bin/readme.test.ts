/** The README names what there is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventTypes } from '../../src/events/event.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

it('SY-03 each event has a row', () => {
  for (const type of eventTypes) expect(readme).toContain(`\n| \`${type}\` | `);
});

it('each chapter is in the list of what follows, in order', () => {
  const chapters = [...readme.matchAll(/^## (.*)$/gmu)].map(([, title = '']) => title).slice(1);
  const list = readme.match(/\*\*What follows:\*\*\n\n((?:- .*\n)+)/u)?.[1] ?? '';
  const links = [...list.matchAll(/\[([^\]]+)\]\(#([^)]+)\)/gu)];
  expect(links.map(([, title]) => title)).toEqual(chapters);
  for (const [, title = '', link] of links) expect(link).toBe(title.toLowerCase().replaceAll(' ', '-'));
});

import { expect, it } from 'vitest';
import type { FetchedItem } from '../../src/retrieval/assemble.ts';
import { rankFetched } from '../../src/retrieval/rank-imports.ts';

const itemOf = (name: string, content = '', origin: FetchedItem['origin'] = 'import'): FetchedItem => ({
  origin,
  path: `/p/${name}`,
  relativePath: name,
  content,
  truncated: false,
});
const tab = itemOf('tab.ts', 'loop', 'open-tab');
const client = itemOf('client.ts', 'export class Client { … }');
const near = itemOf('near.ts', 'export function near(): void');
const detector = itemOf('loopDetector.ts', 'export class LoopDetector { … }');
const runner = itemOf('runner.ts', 'export class Runner { /** Ends when a loop is detected. */ }');
const found = itemOf('found.md', 'loops', 'search');
const fetched = [tab, client, near, runner, detector, found];
const rank = async (query: string | undefined, given: { meant?: string[]; found?: string[] } = {}) => {
  const ranked = await rankFetched(fetched, {
    query,
    meant: new Set(given.meant?.map((name) => `/p/${name}`)),
    found: (given.found ?? []).map((name) => `/p/${name}`),
  });
  return ranked.map(({ relativePath }) => relativePath);
};

it('RT-05 puts the imports that fit the query before the others, and leaves the rest as it is', async () => {
  const expected = ['tab.ts', 'loopDetector.ts', 'runner.ts', 'client.ts', 'near.ts', 'found.md'];
  expect(await rank('how is the loop detected')).toEqual(expected);
  const asIs = fetched.map(({ relativePath }) => relativePath);
  expect(await rank(undefined)).toEqual(asIs);
  expect(await rank('how is it')).toEqual(asIs);
  expect(await rank('zebra')).toEqual(asIs);
});

it('RT-05 puts first what is meant in the document, then what the search found', async () => {
  const ranked = await rank('how is the loop detected', { meant: ['near.ts'], found: ['x.ts', 'client.ts'] });
  expect(ranked).toEqual(['tab.ts', 'near.ts', 'client.ts', 'loopDetector.ts', 'runner.ts', 'found.md']);
});

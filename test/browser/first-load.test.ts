/** What a browser gets before the first view is drawn. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const built = join(import.meta.dirname, '../../dist/console');

/** The files that `index.html` names, and those that they import at once. */
function loadedAtOnce(): Set<string> {
  const found = new Set<string>();
  const follow = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    const text = readFileSync(join(built, path), 'utf8');
    const named = path.endsWith('.html')
      ? text.matchAll(/(?:src|href)="\/(console\/[^"]+)"/gu)
      : path.endsWith('.js')
        ? text.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/gu)
        : [];
    for (const [, name = ''] of named) follow(name.startsWith('console/') ? name : `console/${name}`);
  };
  follow('index.html');
  return found;
}

it('loads at most 150 KB compressed before the first view', () => {
  const files = [...loadedAtOnce()];
  expect(files.filter((path) => path.endsWith('.js')).length).toBeGreaterThan(0);
  expect(files.filter((path) => path.endsWith('.css')).length).toBeGreaterThan(0);
  const bytes = files.reduce((sum, path) => sum + gzipSync(readFileSync(join(built, path))).length, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(150_000);
});

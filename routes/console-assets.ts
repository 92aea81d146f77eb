/**
 * The files of the built console, by path. All of them are read at the first request. A request only looks up its path
 * in this map. Its path never becomes a path on disk (S-12).
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { loadOnce } from '../src/pace/deferred-verbs.ts';

type ConsoleAsset = { type: string; content: Buffer };
/** By the exact path of the URL. */
export type ConsoleAssets = ReadonlyMap<string, ConsoleAsset>;

/** Files with other endings are not served. */
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Loads `index.html` of a directory and the files of its folder `console`, once. Undefined when there is no
 * `index.html`; then the next call looks again.
 */
export function consoleAssets(directory: string): () => Promise<ConsoleAssets | undefined> {
  const load = loadOnce(() => loadAssets(directory));
  return () => load().catch(() => undefined);
}

async function loadAssets(directory: string): Promise<ConsoleAssets> {
  const index = await readFile(join(directory, 'index.html'));
  const assets = new Map<string, ConsoleAsset>([['/', { type: 'text/html; charset=utf-8', content: index }]]);
  const folder = join(directory, 'console');
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (entry.isFile() && type !== undefined)
      assets.set(`/console/${entry.name}`, { type, content: await readFile(join(folder, entry.name)) });
  }
  return assets;
}

/** The page at `/` if the console was not built. */
export const notBuiltPage = pageOf(`<h1>The console is not built</h1>
<p>contextd runs, and its API answers. To get its console, run this in the directory of contextd, and load this page again:</p>
<pre>npm run build</pre>
<p>The documentation of the API is at <a href="/docs">/docs</a>.</p>`);

/**
 * The page at `/` for host names that another program may have used before. It does not tell the host name of the
 * console.
 */
export const elsewherePage = pageOf(`<h1>contextd</h1>
<p>The console has its own address, which changes each time contextd starts. To open it, run this on the machine where contextd runs:</p>
<pre>contextd open</pre>
<p>Do not enter a code, or the address of the console, on a page at this address. The documentation of the API is at <a href="/docs">/docs</a>.</p>`);

function pageOf(content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>contextd</title>
</head>
<body>
${content}
</body>
</html>
`;
}

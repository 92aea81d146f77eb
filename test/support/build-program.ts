/** The program as it is installed, which tests and benches start: from the source, a process takes half as long again. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type InputOptions, type OutputOptions, rolldown } from 'rolldown';
import { input, output } from '../../rolldown.config.ts';

/** In the package, so that what it imports and reads is found, and that it is known to be of modules. */
const places = join(import.meta.dirname, '../../.cache/programs');
/** Other runs may still use theirs. */
const keptMs = 24 * 60 * 60_000;

/** Path of its entry, which is another one for each content, so that what is compiled is kept. */
export async function buildProgram(): Promise<string> {
  return join(await build(input, output), 'contextd.js');
}

/** What tests start again and again, each as one file without a type in it: `helper` gives its path. */
function buildHelpers(): Promise<string> {
  const sources = [
    join(import.meta.dirname, 'mcp-servers/stand-in-server.ts'),
    join(import.meta.dirname, 'store-writer.ts'),
  ];
  return build({ input: sources, platform: 'node' }, { format: 'esm', entryFileNames: '[name].js' });
}

/** The directory of what was built. */
async function build(from: InputOptions, to: OutputOptions): Promise<string> {
  const bundle = await rolldown({ ...from, logLevel: 'silent' });
  const built = await bundle.generate(to);
  await bundle.close();
  const files = built.output.map((file) => ({
    fileName: file.fileName,
    content: file.type === 'chunk' ? file.code : file.source,
  }));
  const hash = createHash('sha256');
  for (const { fileName, content } of files) hash.update(`${fileName}\n`).update(content);
  const directory = join(places, hash.digest('hex').slice(0, 16));
  if (!existsSync(directory)) {
    const unfinished = `${directory}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    for (const { fileName, content } of files) writeFileSync(join(unfinished, fileName), content);
    // Another run may have been faster.
    if (!existsSync(directory)) renameSync(unfinished, directory);
    rmSync(unfinished, { recursive: true, force: true });
  }
  // It is in use, however long ago it was made.
  utimesSync(directory, new Date(), new Date());
  for (const name of readdirSync(places))
    if (Date.now() - statSync(join(places, name)).mtimeMs > keptMs)
      rmSync(join(places, name), { recursive: true, force: true });
  return directory;
}

/** For the tests of a run. */
export async function setup(): Promise<void> {
  process.env.CONTEXTD_TESTED_PROGRAM ??= await buildProgram();
  process.env.CONTEXTD_TEST_HELPERS ??= await buildHelpers();
}

/**
 * The first thing that the single executable runs. It holds all files of the package; native libraries and what processes are
 * started from must lie on the disk, so it unpacks them once into the state directory, which only its user can write to.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getAsset } from 'node:sea';
import { zstdDecompressSync } from 'node:zlib';
import { syncDirectory } from '../src/adapters/sqlite/sync-files.ts';
import {
  prepareStateDirectory,
  processSurroundings,
  stateDirectoryPath,
  stateNames,
} from '../src/bin/state/state-directory.ts';

export type PackedFile = { path: string; size: number };

/** Of what is inside, in order; `id` is another one for other contents. */
type PackedIndex = { id: string; files: PackedFile[] };

/** Its processes are the same program: they name what they run. */
function main(): void {
  const [, , first] = process.argv;
  const isPart = process.send !== undefined && first?.endsWith('.js') === true;
  try {
    if (isPart) {
      run(first);
      return;
    }
    const directory = unpack();
    module.enableCompileCache({ directory: join(directory, 'compile-cache'), portable: true });
    run(join(directory, 'dist/contextd.js'));
  } catch (error) {
    console.error(`contextd: it cannot be unpacked: ${(error as Error).message}`);
    process.exitCode = 78;
  }
}

/** What is built into an executable can import nothing from the disk; a file there can. */
function run(program: string): void {
  const start = createRequire(program)('./start.cjs') as (path: string) => Promise<void>;
  void start(program);
}

function unpack(): string {
  const { id, files } = JSON.parse(getAsset('index', 'utf8')) as PackedIndex;
  const stateDirectory = stateDirectoryPath(undefined, processSurroundings());
  prepareStateDirectory(stateDirectory);
  const directory = join(stateDirectory, stateNames.program, id);
  if (existsSync(directory)) return directory;
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
  const unfinished = mkdtempSync(`${directory}.`);
  try {
    unpackInto(unfinished, files);
    renameSync(unfinished, directory);
    syncDirectory(dirname(directory));
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another one was faster.
    if (!existsSync(directory)) throw error;
  }
  return directory;
}

/** All of it is on the disk at the end: what has its name after a power cut is whole. */
function unpackInto(unfinished: string, files: readonly PackedFile[]): void {
  const contents = zstdDecompressSync(new Uint8Array(getAsset('contents')));
  let at = 0;
  for (const { path, size } of files) {
    const place = join(unfinished, path);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    writeFileSync(place, contents.subarray(at, at + size), { mode: 0o600, flush: true });
    at += size;
  }
  const folders = readdirSync(unfinished, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  );
  for (const folder of folders) syncDirectory(join(folder.parentPath, folder.name));
  syncDirectory(unfinished);
}

main();

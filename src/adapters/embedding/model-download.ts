/** Downloads the files of the model. Only pinned files, and each is checked before it gets its name (S-78). */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checksumFile, type EmbeddingModel, type ModelFile } from '../../ports/embedding-model.ts';

export type DownloadOptions = {
  model: Pick<EmbeddingModel, 'downloadUrl' | 'files'>;
  signal: AbortSignal;
  /** Called with the bytes that have come and the total bytes. */
  onProgress: (done: number, total: number) => void;
  /** Max time without data. */
  stallMs?: number;
};

/** Downloads files that are missing in the directory or are not the pinned ones. Rejects with a sentence for people. */
export async function downloadModel(directory: string, options: DownloadOptions): Promise<void> {
  const { files, downloadUrl } = options.model;
  const missing: ModelFile[] = [];
  if (await exists(join(directory, checksumFile)))
    throw new Error(`${directory} has your own model (${checksumFile}); nothing is downloaded into it.`);
  for (const file of files) if (!(await isPinned(join(directory, file.path), file))) missing.push(file);
  const total = missing.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  let reported = 0;
  options.onProgress(0, total);
  for (const file of missing) {
    const target = join(directory, file.path);
    const partial = `${target}.part`;
    try {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await fetchFile({ file, url: new URL(file.path, downloadUrl), partial }, options, (bytes) => {
        done += bytes;
        // A hundred steps are enough for a progress display.
        if (done - reported < total / 100 && done < total) return;
        reported = done;
        options.onProgress(done, total);
      });
      await rename(partial, target);
    } catch (error) {
      await rm(partial, { force: true }).catch(() => {});
      throw new Error(`${file.path} of the model could not be downloaded: ${reasonOf(error)}`);
    }
  }
}

async function fetchFile(
  { file, url, partial }: { file: ModelFile; url: URL; partial: string },
  { signal, stallMs = 30_000 }: DownloadOptions,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const stalled = new AbortController();
  const watchdog = setTimeout(() => stalled.abort(new Error(`nothing came for ${stallMs / 1000} seconds.`)), stallMs);
  const ended = AbortSignal.any([signal, stalled.signal]);
  try {
    const response = await fetch(url, { signal: ended, headers: { 'accept-encoding': 'identity' } });
    if (!response.ok || response.body === null) throw new Error(`${url.host} answered ${response.status}.`);
    if (url.protocol === 'https:' && !response.url.startsWith('https:'))
      throw new Error('it was redirected to an address without a secure connection.');
    const hash = createHash('sha256');
    const check = checked({ size: file.size, hash, onBytes, watchdog });
    const target = createWriteStream(partial, { flags: 'w', mode: 0o600, flush: true });
    await pipeline(Readable.fromWeb(response.body), check, target, { signal: ended });
    const found = hash.digest('hex');
    if (found !== file.sha256) throw new Error(`the downloaded file is another one (SHA-256 ${found}).`);
  } finally {
    clearTimeout(watchdog);
  }
}

/** Passes pieces on. Throws if there are more bytes than expected. */
function checked(options: { size: number; hash: Hash; onBytes(bytes: number): void; watchdog: NodeJS.Timeout }) {
  return async function* (pieces: AsyncIterable<Uint8Array>) {
    let left = options.size;
    for await (const piece of pieces) {
      left -= piece.length;
      if (left < 0) throw new Error('the download is larger than the file.');
      options.watchdog.refresh();
      options.hash.update(piece);
      options.onBytes(piece.length);
      yield piece;
    }
  };
}

async function isPinned(path: string, { sha256, size }: ModelFile): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    if ((await stat(path)).size !== size) return false;
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  } catch {
    return false;
  }
  return hash.digest('hex') === sha256;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The messages of `fetch` and of a broken stream say nothing; the cause does.
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

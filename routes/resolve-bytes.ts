/** The answer of `resolve` as bytes of JSON, with its version. */
import { createHash, hash } from 'node:crypto';
import type { ResolveResult } from '../src/context/resolve-result.ts';
import { jsonInTurns } from './http/long-json.ts';

type ResolveBytes = Readonly<{ bytes: Buffer; etag: string }>;

/** So few files take a few milliseconds, whatever is in their front matter. */
const fewFiles = 100;

/**
 * The bytes of what `view` shows of a result. They are kept as long as the result. The engine returns the same frozen
 * object until something changes.
 */
export function keptBytes(
  view: (result: ResolveResult) => ResolveResult,
): (result: ResolveResult) => ResolveBytes | Promise<ResolveBytes> {
  const kept = new WeakMap<ResolveResult, ResolveBytes | Promise<ResolveBytes>>();
  return (result) => {
    const known = kept.get(result);
    if (known !== undefined) return known;
    const made = resolveBytes(view(result));
    kept.set(result, made);
    // Later requests need not wait for a promise. What failed is tried again.
    if (made instanceof Promise)
      made.then(
        (bytes) => kept.set(result, bytes),
        () => kept.delete(result),
      );
    return made;
  };
}

/** At once if there are few files. With many, gives way to others. */
export function resolveBytes(result: ResolveResult): ResolveBytes | Promise<ResolveBytes> {
  if (result.files.length + result.excluded.length > fewFiles) return bytesInTurns(result);
  const text = JSON.stringify(result);
  // Not from the shared pool, because this buffer would keep the whole pool in memory as long as the result is kept.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return { bytes, etag: etagOf(hash('sha256', bytes, 'base64url')) };
}

async function bytesInTurns(result: ResolveResult): Promise<ResolveBytes> {
  const digest = createHash('sha256');
  const bytes = await jsonInTurns(result, digest);
  return { bytes, etag: etagOf(digest.digest('base64url')) };
}

function etagOf(digest: string): string {
  return digest.slice(0, 27);
}

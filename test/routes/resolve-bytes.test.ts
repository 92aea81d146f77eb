/** The bytes of an answer of `resolve`. A long answer gives way to others. */
import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { keptBytes, resolveBytes } from '../../routes/resolve-bytes.ts';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import { contextFile, createWorkspace } from '../support/workspace.ts';

async function resultWith(fileCount: number, more: Record<string, string> = {}): Promise<ResolveResult> {
  const { resolve } = await createWorkspace({ '.context/a.md': contextFile({ trigger: 'manual', ...more }) });
  const result = await resolve();
  const [file] = result.files;
  return {
    ...result,
    semantic: undefined,
    files: Array.from({ length: fileCount }, () => file as NonNullable<typeof file>),
  };
}

it.each([0, 1, 100, 101, 150])(
  'the bytes are the result as JSON, and its version, with %i files',
  async (fileCount) => {
    const result = await resultWith(fileCount, { title: '‘é’ \u2028 "quoted"' });
    const { bytes, etag } = await resolveBytes(result);
    expect(bytes.toString()).toBe(JSON.stringify(result));
    expect(etag).toBe(hash('sha256', bytes, 'base64url').slice(0, 27));
  },
);

it('the bytes of 9,900 files with 300 unknown keys each do not hold the event loop', async () => {
  const keys = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key${index}`, 'value']));
  const result = await resultWith(9_900, keys);
  expect(await longestTurnMs(async () => resolveBytes(result), 3)).toBeLessThan(250);
});

it.each([1, 150])('the bytes of %i files are made once', async (fileCount) => {
  const result = await resultWith(fileCount);
  let views = 0;
  const bytesOf = keptBytes((shown) => {
    views += 1;
    return shown;
  });
  const first = await bytesOf(result);
  expect(bytesOf(result)).toBe(first);
  expect(views).toBe(1);
});

it('the bytes of many files are made again if that failed', async () => {
  const result = await resultWith(150);
  let isBroken = true;
  const toJSON = () => {
    if (isBroken) throw new Error('broken');
    return [];
  };
  const bytesOf = keptBytes((shown) => ({ ...shown, warnings: { toJSON } as unknown as typeof shown.warnings }));
  const failing = bytesOf(result);
  expect(bytesOf(result)).toBe(failing);
  await expect(failing).rejects.toThrow('broken');
  isBroken = false;
  expect((await bytesOf(result)).bytes.toString()).toBe(JSON.stringify({ ...result, warnings: [] }));
});

import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DownloadOptions, downloadModel } from '../../../src/adapters/embedding/model-download.ts';
import { embeddingModels } from '../../../src/ports/embedding-model.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const contents: Record<string, Buffer> = {
  'config.json': Buffer.from('{"model_type":"bert"}'),
  'onnx/model.onnx': Buffer.alloc(300_000, 7),
};
const files = Object.entries(contents).map(([path, bytes]) => ({
  path,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  size: bytes.length,
}));

let directory: string;
let server: Server;
let answer: RequestListener;
let asked: string[];

const good: RequestListener = (request, response) => response.end(contents[request.url?.slice(3) ?? '']);

beforeEach(async () => {
  directory = temporaryDirectory();
  asked = [];
  answer = good;
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function download(options: Partial<DownloadOptions> = {}) {
  const port = (server.address() as AddressInfo | null)?.port;
  return downloadModel(directory, {
    signal: new AbortController().signal,
    onProgress: () => {},
    model: { downloadUrl: `http://127.0.0.1:${port}/m/`, files },
    ...options,
  });
}

const left = (): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();

describe('model download', () => {
  it('SS-03 fetches what is missing, tells how far it is, and fetches nothing twice', async () => {
    const steps: [number, number][] = [];
    await download({ onProgress: (done, total) => steps.push([done, total]) });
    for (const [path, bytes] of Object.entries(contents)) expect(readFileSync(join(directory, path))).toEqual(bytes);
    const total = files.reduce((sum, { size }) => sum + size, 0);
    expect(steps[0]).toEqual([0, total]);
    expect(steps.at(-1)).toEqual([total, total]);
    expect(steps.every(([done], at) => at === 0 || done > (steps[at - 1]?.[0] ?? 0))).toBe(true);
    expect(asked).toEqual(['/m/config.json', '/m/onnx/model.onnx']);
    rmSync(join(directory, 'config.json'));
    await download();
    expect(asked.slice(2)).toEqual(['/m/config.json']);
  });

  it('S-78 fetches again what is damaged, and nothing into a directory of the user', async () => {
    await download();
    const damaged = Buffer.alloc(300_000, 7);
    damaged[150_000] = 6;
    writeFileSync(join(directory, 'onnx/model.onnx'), damaged);
    await download();
    expect(asked.slice(2)).toEqual(['/m/onnx/model.onnx']);
    expect(readFileSync(join(directory, 'onnx/model.onnx'))).toEqual(contents['onnx/model.onnx']);
    writeFileSync(join(directory, 'SHA256SUMS'), '');
    rmSync(join(directory, 'config.json'));
    await expect(download()).rejects.toThrow('has your own model');
    expect(asked.length).toBe(3);
  });

  it.each([
    { what: 'another file', wrong: Buffer.from('{"model_type":"evil"}') },
    { what: 'a shorter file', wrong: Buffer.from('{"model_type":"bert"') },
    { what: 'an endless file', wrong: Buffer.alloc(5_000_000, 1) },
  ])('S-78 keeps nothing of $what', async ({ wrong }) => {
    answer = (_request, response) => response.end(wrong);
    await expect(download()).rejects.toThrow(/^config\.json of the model could not be downloaded: /u);
    expect(left()).toEqual([]);
    answer = good;
    await download();
    expect(left()).toEqual(['config.json', 'model.onnx']);
  });

  it('S-78 says what the server answered, and where nobody answers', async () => {
    answer = (_request, response) => response.writeHead(403).end();
    await expect(download()).rejects.toThrow(/127\.0\.0\.1:\d+ answered 403\.$/u);
    const { port } = server.address() as AddressInfo;
    server.close();
    server.closeAllConnections();
    const model = { downloadUrl: `http://127.0.0.1:${port}/m/`, files };
    await expect(download({ model })).rejects.toThrow(/could not be downloaded: .*ECONNREFUSED/u);
  });

  it('S-78 gives up when nothing comes any more, and when the daemon ends', async () => {
    answer = (_request, response) => response.write('{');
    await expect(download({ stallMs: 100 })).rejects.toThrow('nothing came for 0.1 seconds.');
    const ending = new AbortController();
    const under = download({ signal: ending.signal });
    setTimeout(() => ending.abort(), 50);
    await expect(under).rejects.toThrow('could not be downloaded');
    expect(left()).toEqual([]);
  });

  it('S-78 says when the directory cannot be written', async () => {
    writeFileSync(join(directory, 'file'), '');
    directory = join(directory, 'file');
    await expect(download()).rejects.toThrow(/could not be downloaded: E(NOTDIR|EXIST)/u);
    directory = join(directory, '..');
    if (process.getuid?.() === 0) return;
    mkdirSync(join(directory, 'closed'));
    chmodSync(join(directory, 'closed'), 0o500);
    directory = join(directory, 'closed');
    await expect(download()).rejects.toThrow(/EACCES/u);
    expect(existsSync(join(directory, 'config.json'))).toBe(false);
  });

  it.each(embeddingModels)('S-78 pins every file of $id by a whole checksum, at one revision', (model) => {
    expect(model.files.map(({ path }) => path)).toEqual([
      'config.json',
      'tokenizer_config.json',
      'tokenizer.json',
      'onnx/model_quantized.onnx',
    ]);
    for (const { sha256 } of model.files) expect(sha256).toMatch(/^[0-9a-f]{64}$/u);
    const [beginning = '', revision] = model.downloadUrl.split('/resolve/');
    expect([beginning, revision]).toEqual([
      `https://huggingface.co/${model.id}`,
      expect.stringMatching(/^[0-9a-f]{40}\/$/u),
    ]);
  });
});

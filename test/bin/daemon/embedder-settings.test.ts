import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EmbedderFlags } from '../../../src/bin/daemon/embedder-settings.ts';
import { type Endpoint, parseEmbedderSettings, riskOf } from '../../../src/bin/daemon/embedder-settings.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const local = 'http://127.0.0.1:11434';

describe('settings of what makes vectors', () => {
  let cwd: string;
  beforeAll(() => {
    cwd = temporaryDirectory();
    const file = (name: string, text: string, mode = 0o600) => {
      writeFileSync(join(cwd, name), text);
      chmodSync(join(cwd, name), mode);
    };
    file('key', ' sk-1234\n');
    file('open', 'sk-1234', 0o644);
    file('empty', '');
    file('two', 'sk 1234');
    file('long', 'k'.repeat(10_000));
    mkdirSync(join(cwd, 'directory'));
  });
  const parse = (flags: EmbedderFlags, environment: Record<string, string> = {}) =>
    parseEmbedderSettings(flags, { environment, cwd, home: '/home/me' });
  const endpoint = (flags: EmbedderFlags, environment = {}) => parse({ model: 'm', ...flags }, environment) as Endpoint;

  it('SS-10 a model by its whole or short name: the flag, the environment, else the default', () => {
    const idOf = (flags: EmbedderFlags, environment = {}) => {
      const { model } = parse(flags, environment);
      return typeof model === 'string' ? model : model.id;
    };
    expect(idOf({})).toBe('Xenova/all-MiniLM-L6-v2');
    expect(idOf({}, { CONTEXTD_MODEL: '' })).toBe('Xenova/all-MiniLM-L6-v2');
    expect(idOf({}, { CONTEXTD_MODEL: 'bge-small-en-v1.5' })).toBe('Xenova/bge-small-en-v1.5');
    const flags = { model: 'Snowflake/snowflake-arctic-embed-s' };
    expect(idOf(flags, { CONTEXTD_MODEL: 'bge-small-en-v1.5' })).toBe('Snowflake/snowflake-arctic-embed-s');
    expect(parse({ modelDir: 'own' })).toMatchObject({ directory: join(cwd, 'own') });
    expect(() => parse({ model: '../x' })).toThrow(/^--model must name one of these models: Xenova/u);
    expect(() => parse({}, { CONTEXTD_MODEL: 'x' })).toThrow(/^CONTEXTD_MODEL must name one of these models/u);
  });

  it('SS-09 a server by its address, below /v1 unless it says otherwise', () => {
    const urlOf = (embedder: string) => endpoint({ embedder }).url.href;
    expect(urlOf(local)).toBe(`${local}/v1/embeddings`);
    expect(urlOf(`${local}/`)).toBe(`${local}/v1/embeddings`);
    expect(urlOf(`${local}/v1/`)).toBe(`${local}/v1/embeddings`);
    expect(urlOf('https://models.example/openai/v2')).toBe('https://models.example/openai/v2/embeddings');
    expect(urlOf('https://models.example/x/embeddings')).toBe('https://models.example/x/embeddings');
    expect(parse({}, { CONTEXTD_EMBEDDER: local, CONTEXTD_MODEL: 'm' })).toMatchObject({ model: 'm' });
  });

  it('S-88 a key comes from a file of the user alone, or from the environment', () => {
    const embedder = 'https://models.example';
    expect(endpoint({ embedder, embedderKeyFile: 'key' })).toMatchObject({ key: 'sk-1234', keyFile: join(cwd, 'key') });
    expect(endpoint({ embedder }, { CONTEXTD_EMBEDDER_KEY: ' sk-5 ' })).toMatchObject({ key: 'sk-5' });
    expect(endpoint({ embedder }, { CONTEXTD_EMBEDDER_KEY: ' ' }).key).toBeUndefined();
    for (const [file, says] of [
      ['open', /may be read by others/u],
      ['empty', /is not one/u],
      ['two', /is not one/u],
      ['long', /too long/u],
      ['directory', /is not a file/u],
      ['none', /cannot be read \(ENOENT\)/u],
    ] as const)
      expect(() => endpoint({ embedder, embedderKeyFile: file })).toThrow(says);
    expect(() => parse({ embedderKeyFile: 'key' })).toThrow('needs --embedder');
  });

  it('S-88 refuses addresses that would show a key, and what contradicts itself', () => {
    for (const [flags, says] of [
      [{ embedder: 'ftp://x' }, /begins with http/u],
      [{ embedder: '127.0.0.1:11434' }, /begins with http/u],
      [{ embedder: '' }, /begins with http/u],
      [{ embedder: 'https://user:pass@x' }, /has a password/u],
      [{ embedder: 'https://x/v1?key=1' }, /more than a host and a path/u],
      [{ embedder: 'http://models.example', embedderKeyFile: 'key' }, /unencrypted/u],
      [{ embedder: 'https://models.example', offline: true }, /--offline forbids/u],
      [{ embedder: local, modelDir: 'own' }, /cannot be used together/u],
      [{ embedder: local, model: undefined }, /needs --model/u],
    ] as const)
      expect(() => endpoint(flags as EmbedderFlags), JSON.stringify(flags)).toThrow(says);
    expect(endpoint({ embedder: local, offline: true, embedderKeyFile: 'key' }).key).toBe('sk-1234');
  });

  it('S-88 warns of every host but loopback', () => {
    const risk = (embedder: string) => riskOf(endpoint({ embedder }));
    for (const own of [local, 'http://localhost:1', 'http://[::1]:1', 'https://127.8.0.1'])
      expect(risk(own)).toBeUndefined();
    expect(risk('https://models.example')).toMatch(/are sent to models\.example$/u);
    expect(risk('http://192.168.1.2:11434')).toMatch(/are sent to 192\.168\.1\.2:11434, unencrypted$/u);
    for (const other of ['http://127.0.0.1.example', 'http://localhost.example', 'http://0.0.0.0', 'http://[::2]'])
      expect(risk(other)).toBeDefined();
  });
});

import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { createWorkerSchemaChecker } from '../../../src/adapters/workers/worker-schema-checker.ts';

const checker = createWorkerSchemaChecker({ timeoutMs: 2_000 });
afterAll(() => checker.dispose());

describe('arguments', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'string', pattern: '^x+$' } },
    required: ['a'],
    additionalProperties: false,
  };

  it('MC-01 fit the schema of a tool or do not', async () => {
    expect(await checker.check(schema, { a: 1, b: 'xx' })).toEqual({ outcome: 'valid' });
    const wrong = [
      [{}, '/a'],
      [{ a: '1' }, '/a'],
      [{ a: 1, b: 'y' }, '/b'],
      [{ a: 1, c: 2 }, '/c'],
    ] as const;
    for (const [value, pointer] of wrong)
      expect(await checker.check(schema, value)).toMatchObject({
        outcome: 'invalid',
        errors: [{ pointer, message: expect.stringMatching(/./u) }],
      });
  });

  it('S-52 are checked by no schema for longer than is bearable', async () => {
    const slowPattern = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const attack = { a: `${'a'.repeat(40)}!` };
    expect(await checker.check(slowPattern, attack)).toMatchObject({
      outcome: 'unknown',
      detail: 'It takes too long.',
    });
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` };
        return [`d${at}`, { anyOf: [next, next] }];
      }),
    );
    const slowReferences = { $defs: { ...$defs, d60: { type: 'number' } }, $ref: '#/$defs/d0' };
    expect(await checker.check(slowReferences, { a: 1 })).toMatchObject({ outcome: 'unknown' });
    const circle = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' };
    expect(await checker.check(circle, {})).toMatchObject({ outcome: 'unknown' });
    // The next check is not the worse for it.
    expect(await checker.check(schema, { a: 1 })).toEqual({ outcome: 'valid' });
  });

  it('S-66 are checked by no schema that is broken', async () => {
    expect(await checker.check({ properties: { a: { type: 'string', pattern: '(' } } }, { a: 'x' })).toMatchObject({
      outcome: 'unknown',
    });
  });

  it('S-52 are not known to fit where no thread can be started', () => {
    const home = new URL('../../../src/adapters/workers/worker-schema-checker.ts', import.meta.url);
    const program = `
      const { createWorkerSchemaChecker } = await import(${JSON.stringify(home.href)});
      console.log(JSON.stringify(await createWorkerSchemaChecker().check({}, 1)));`;
    // The permissions allow reading files, and no worker.
    const args = ['--permission', '--allow-fs-read=*', '--input-type=module', '--eval', program];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });
    expect(JSON.parse(stdout || '{}')).toEqual({
      outcome: 'unknown',
      detail: expect.stringMatching(/^The thread that checks does not start: Access to this API has been restricted/u),
    });
  });
});

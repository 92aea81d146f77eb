import { describe, expect, it } from 'vitest';
import { uniqueId } from '../../../src/bin/commands/shared/unique-id.ts';

const ids = ['ab12'.padEnd(32, '0'), 'ab34'.padEnd(32, '0'), 'cd'.padEnd(32, '0')];
const find = (written: string) => uniqueId(written, async () => ids.map((id) => ({ id })));

describe('the beginning of an id', () => {
  it('is enough where one id only begins so', async () => {
    expect(await find('ab1')).toBe(ids[0]);
    expect(await find('c')).toBe(ids[2]);
  });

  it('is refused where several do, and all of them are named', async () => {
    await expect(find('ab')).rejects.toMatchObject({
      exitCode: 64,
      message: `2 ids begin with ab: ${ids[0]}, ${ids[1]}`,
    });
  });

  it('is left as it is where none does, or where it is an id as a whole', async () => {
    expect(await find('ff')).toBe('ff');
    expect(await find('../x')).toBe('../x');
    const unasked = () => Promise.reject(new Error('nobody has to be asked'));
    expect(await uniqueId(ids[0] as string, unasked)).toBe(ids[0]);
  });
});

import { describe, expect, it } from 'vitest';
import { objectionTo } from '../../src/mcp/server-view.ts';

describe('an approval that no longer fits', () => {
  it('S-25 says how many fields changed, also if not all of them are listed', () => {
    const partsOf = (value: string) =>
      Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`files.${at}`, value]));
    const objection = objectionTo({
      definition: { server: { command: 'node' } },
      fingerprinted: { fingerprint: 'present', parts: partsOf('after') },
      approval: { fingerprint: 'approved', parts: partsOf('before') },
    } as never);
    expect(objection).toMatchObject({
      code: 'approval_stale',
      detail: expect.stringMatching(/files\.7 and 292 more\.$/u),
    });
  });
});

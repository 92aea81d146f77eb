/** Figure 8 of security.md, per commit: the mix of the soak, small and short. What it can hold is measured by `npm run bench` and `npm run soak`. */
import { expect, it } from 'vitest';
import { soak } from '../soak/soak.ts';

it('S-83 S-77 S-79 answers everything under a mix of requests, readers, changes and kills, and gives back what it held', async () => {
  const result = await soak({
    seconds: 6,
    rate: 50,
    readers: 30,
    killEverySeconds: 2,
    sessionEverySeconds: 1,
    sampleEverySeconds: 3,
  });
  // It was what it should be.
  const { requests, events, fileChanges, embedderKills, serverRestarts } = result;
  expect(Math.min(requests / 100, events, fileChanges, embedderKills, serverRestarts)).toBeGreaterThanOrEqual(1);
  expect(Object.keys(result.answers).length).toBeGreaterThanOrEqual(6);

  expect(result).toMatchObject({ failures: 0, errors: 0, timeouts: 0, endedStreams: 0 });
  for (const [name, statuses] of Object.entries(result.answers))
    for (const status of Object.keys(statuses))
      expect([name, status]).toEqual([name, expect.stringMatching(/^(?:20[01]|503)$/u)]);
  expect(Math.abs(result.descriptors.after - result.descriptors.before)).toBeLessThanOrEqual(5);
}, 90_000);

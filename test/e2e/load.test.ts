/** Figure 10 of docs/threats.md, per commit: the mix of the soak, small and short. */
import { expect, it } from 'vitest';
import { checksOf } from '../soak/checks.ts';
import { soak } from '../soak/soak.ts';

it('S-83 S-77 S-79 answers everything under a mix of requests, readers, changes and kills, and gives back what it held', async () => {
  const result = await soak({
    seconds: 7,
    warmUpSeconds: 2,
    rate: 50,
    readers: 30,
    killEverySeconds: 3,
    sessionEverySeconds: 1,
    sampleEverySeconds: 3,
  });
  expect(Object.keys(result.answers).length).toBeGreaterThanOrEqual(6);

  const missed = checksOf(result).filter(({ result }) => result === 'MISS');
  expect({ missed, answers: missed.length > 0 && result.answers }).toEqual({ missed: [], answers: false });
}, 90_000);

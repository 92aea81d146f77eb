import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createFakeClock } from '../support/fake-clock.ts';

describe.each([
  { name: 'fake', clock: createFakeClock() },
  { name: 'system', clock: createSystemClock() },
])('Clock: $name', ({ clock }) => {
  it('tells wall-clock time in milliseconds since 1970', () => {
    expect(clock.now()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 1));
    expect(clock.now()).toBeLessThan(Date.UTC(2200, 0, 1));
    expect(clock.now() % 1).toBe(0);
  });

  it('tells elapsed time with fractions of a millisecond', () => {
    const told = Array.from({ length: 100 }, () => clock.elapsed());
    expect(told.some((ms) => ms % 1 !== 0)).toBe(true);
  });

  it('S-82 never goes back in elapsed time', () => {
    let previous = clock.elapsed();
    for (let i = 0; i < 1000; i += 1) {
      const elapsed = clock.elapsed();
      expect(elapsed).toBeGreaterThanOrEqual(previous);
      previous = elapsed;
    }
  });
});

describe('createFakeClock', () => {
  it('S-82 moves elapsed time with advance only', () => {
    const clock = createFakeClock(5000);
    const startMs = clock.elapsed();
    clock.advance(10);
    expect(clock.now()).toBe(5010);
    expect(clock.elapsed() - startMs).toBeCloseTo(10, 1);
    clock.setNow(0);
    expect(clock.now()).toBe(0);
    expect(clock.elapsed() - startMs).toBeCloseTo(10, 1);
  });
});

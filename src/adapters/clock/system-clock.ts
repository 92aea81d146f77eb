import type { Clock } from '../../ports/ports.ts';

/** The machine's clocks. */
export function createSystemClock(): Clock {
  // Older versions of Node.js do not have this function.
  const { threadCpuUsage } = process as { threadCpuUsage?(): { user: number; system: number } };
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    ...(threadCpuUsage && {
      worked() {
        const { user, system } = threadCpuUsage();
        return (user + system) / 1_000;
      },
    }),
  };
}

/** Takes much memory, lets go of it, and goes on with little: prints its RSS, in MiB, then and after each second. */
import { setTimeout as delay } from 'node:timers/promises';
import { giveMemoryBack } from '../../src/bin/daemon/memory.ts';

const few = new Map<number, object>();
let count = 0;

async function work(): Promise<void> {
  for (const end = performance.now() + 1_000; performance.now() < end; await delay(2))
    for (let at = 0; at < 1_000; at += 1) {
      count += 1;
      // In an order in which some of them grow old.
      few.set((count * 7919) % 60_000, { count, texts: [`${count}`] });
    }
  console.log(Math.round(process.memoryUsage.rss() / 1024 / 1024));
}

giveMemoryBack({ everyMs: 500, maxMs: 500 });
let many: object[] = Array.from({ length: 600_000 }, (_, at) => ({ at, texts: [at, at] }));
await work();
many = many.slice(0, 1);
for (;;) await work();

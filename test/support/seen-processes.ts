/**
 * Another user's view of the machine, as a program of its own: all command lines and environments of /proc, again and again
 * until its input ends. Then it prints everything it has seen.
 */
import { readdirSync, readFileSync } from 'node:fs';

const seen = new Set<string>();
function look(): void {
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/u.test(pid) || Number(pid) === process.pid) continue;
    for (const name of ['cmdline', 'environ'])
      try {
        seen.add(readFileSync(`/proc/${pid}/${name}`, 'utf8'));
      } catch {
        // It is gone.
      }
  }
  next = setImmediate(look);
}
let next = setImmediate(look);
process.stdin.resume().on('end', () => {
  clearImmediate(next);
  process.stdout.write([...seen].join('\n'));
});

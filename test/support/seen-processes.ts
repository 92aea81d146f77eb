/**
 * Another user's view of the machine, as a program of its own: all command lines and environments of /proc, again and again
 * until its input ends. Then it prints everything it has seen. Its arguments are processes that were there before, which
 * it leaves out: it must be quick to see one that lasts for a tenth of a second on a busy machine.
 */
import { readdirSync, readFileSync } from 'node:fs';

const seen = new Set<string>();
const leftOut = new Set(process.argv.slice(2)).add(String(process.pid));
function look(): void {
  const running = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
  // A new process may get the number of one that ended.
  for (const pid of leftOut) if (!running.includes(pid)) leftOut.delete(pid);
  for (const pid of running) {
    if (leftOut.has(pid)) continue;
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

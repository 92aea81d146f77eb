/**
 * Another user's view of the machine, as a program of its own: all command lines and environments of /proc, again and again
 * until its input ends. It adds everything it sees to the file that its first argument names. The others are processes that
 * were there before, which it leaves out: it must be quick, because some processes last for a tenth of a second only.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';

const [file = '', ...before] = process.argv.slice(2);
const seen = new Set<string>();
const leftOut = new Set(before).add(String(process.pid));
function note(text: string): void {
  if (!seen.has(text)) appendFileSync(file, `${text}\n`);
  seen.add(text);
}
function look(): void {
  const running = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
  // A new process may get the number of one that ended.
  for (const pid of leftOut) if (!running.includes(pid)) leftOut.delete(pid);
  for (const pid of running) {
    if (leftOut.has(pid)) continue;
    for (const name of ['cmdline', 'environ'])
      try {
        note(readFileSync(`/proc/${pid}/${name}`, 'utf8'));
      } catch {
        // It is gone.
      }
  }
  next = setImmediate(look);
}
let next = setImmediate(look);
process.stdin.resume().on('end', () => clearImmediate(next));

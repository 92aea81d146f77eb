/**
 * Prints, whenever it changes, whether V8 takes code that was compiled before with the flags it has now. With `collect`, the
 * heap is collected as soon as it does not, and there is no other end to that. With `rest`, there is no work while it is looked at once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { giveMemoryBack, spaceOfThreads } from '../../src/bin/daemon/memory.ts';
import { collectGarbage } from './memory-in-use.ts';

setFlagsFromString(spaceOfThreads);
const mode = process.argv[2];
const source = '(() => 1)()';
const cachedData = new Script(source).createCachedData();
// Nothing of its start is work, which takes longer on a busy machine.
await delay(mode === 'rest' ? 2_500 : 500);
giveMemoryBack({ everyMs: mode === 'rest' ? 500 : 200, maxMs: mode === 'wait' ? 100 : 1_000_000 });
if (mode === 'rest') await delay(700);
let was: boolean | undefined;
for (let at = 0; ; at += 1) {
  // What it has compiled itself under a name, V8 takes whatever the flags.
  const isTaken = new Script(source, { cachedData, filename: `${at}.js` }).cachedDataRejected === false;
  if (isTaken !== was) console.log(isTaken);
  if (mode === 'collect' && !isTaken) collectGarbage();
  was = isTaken;
  await delay(1);
}

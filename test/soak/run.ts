/**
 * `npm run soak`: an hour at 100 requests a second with 200 readers, after twenty minutes to warm up, which count but for
 * the slope of memory; `-- --minutes 3 --rate 50 --readers 20` for less, after two thirds of that.
 * The result is written to `bench-results/soak.json`, that of a shorter run, of a lower rate or of fewer readers to
 * `soak-short.json` beside it; exit code 1 when something was missed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measuredCommit, measuringMachine } from './about-run.ts';
import { checksOf, fullRun, isFullRun, megabyte } from './checks.ts';
import { scriptArguments } from './script-arguments.ts';
import { soak } from './soak.ts';

const { values } = scriptArguments('npm run soak -- [--minutes 60] [--rate 100] [--readers 200]', {
  options: {
    minutes: { type: 'string', default: `${fullRun.minutes}` },
    rate: { type: 'string', default: `${fullRun.rate}` },
    readers: { type: 'string', default: `${fullRun.readers}` },
  },
});
const [minutes, rate, readers] = [Number(values.minutes), Number(values.rate), Number(values.readers)];
for (const [name, number] of Object.entries({ minutes, rate, readers }))
  if (!(number > 0 && number < Number.POSITIVE_INFINITY)) {
    console.error(`--${name} takes a positive number.`);
    process.exit(64);
  }

const commit = measuredCommit();
// What happens once a minute, as the helpers are killed, is compiled when it has happened often enough.
const warmUpSeconds = Math.min(1_200, minutes * 40);
const result = await soak({
  seconds: warmUpSeconds + minutes * 60,
  warmUpSeconds,
  rate,
  readers,
  // A short run has some, too.
  killEverySeconds: Math.min(60, minutes * 15),
  sessionEverySeconds: 5,
  sampleEverySeconds: 5,
  onSample({ seconds, rssBytes, descriptors, children }) {
    if (seconds % 60 < 5)
      console.error(
        `${seconds} s: ${Math.round(rssBytes / megabyte)} MB, ${descriptors} descriptors, ${children} children`,
      );
  },
});

const checks = checksOf(result);
const { samples: _samples, answers: _answers, ...figures } = result;
console.log({ ...figures, checks });

const results = join(import.meta.dirname, '../../bench-results');
mkdirSync(results, { recursive: true });
const report = {
  time: new Date().toISOString(),
  commit,
  command: `npm run soak -- ${process.argv.slice(2).join(' ')}`.replace(/ -- $/u, ''),
  machine: measuringMachine(),
  checks,
  ...result,
};
const isFull = isFullRun({ minutes, rate, readers });
writeFileSync(join(results, isFull ? 'soak.json' : 'soak-short.json'), `${JSON.stringify(report, null, 2)}\n`);
// A short run cannot measure everything.
const isPassed = checks.every(({ result: outcome }) => outcome === 'pass' || (!isFull && outcome === 'not measured'));
if (!isPassed) process.exitCode = 1;

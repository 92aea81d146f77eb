/**
 * `npm run soak`: half an hour at 100 requests a second with 200 readers; `-- --minutes 3 --rate 50 --readers 20` for less.
 * The result is written to `bench-results/soak.json`; exit code 1 when something was missed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '100' },
    readers: { type: 'string', default: '200' },
  },
});
const mebibyte = 1024 * 1024;
const result = await soak({
  seconds: Number(values.minutes) * 60,
  rate: Number(values.rate),
  readers: Number(values.readers),
  killEverySeconds: 60,
  sessionEverySeconds: 5,
  sampleEverySeconds: 10,
  onSample({ seconds, rssBytes, descriptors, children }) {
    if (seconds % 60 < 10)
      console.error(
        `${seconds} s: ${Math.round(rssBytes / mebibyte)} MiB, ${descriptors} descriptors, ${children} children`,
      );
  },
});

const slopeMebibytes = result.rssSlopeBytes / mebibyte;
const checks = {
  'no 5xx but load that was shed': result.failures === 0,
  'no broken connection, no request without an answer': result.errors === 0 && result.timeouts === 0,
  'memory rises by at most 1 MiB in ten minutes': slopeMebibytes <= 1,
  'descriptors are back to ± 5': Math.abs(result.descriptors.after - result.descriptors.before) <= 5,
};
const { samples: _samples, answers: _answers, ...figures } = result;
console.log({ ...figures, slopeMebibytes: Number(slopeMebibytes.toFixed(2)), checks });

const results = join(import.meta.dirname, '../../bench-results');
mkdirSync(results, { recursive: true });
const machine = { node: process.version, processors: cpus().length, model: cpus()[0]?.model, loadAverage: loadavg() };
const report = {
  time: new Date().toISOString(),
  command: `npm run soak -- ${process.argv.slice(2).join(' ')}`.trim(),
  machine,
  checks,
  ...result,
};
writeFileSync(join(results, 'soak.json'), `${JSON.stringify(report, null, 2)}\n`);
if (Object.values(checks).includes(false)) process.exitCode = 1;

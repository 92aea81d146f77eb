/** Deciding about 100,000 paths under 100 nested policies, beside a bare loop over the patterns that decide. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createGate } from '../../src/access/gate.ts';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createNodeFiles } from '../../src/adapters/files/node-files.ts';
import { globOf } from '../../src/context/candidate.ts';
import { createIgnoreFiles } from '../../src/ignore/ignore-files.ts';
import { createTimeAllowances } from '../../src/pace/time-allowance.ts';
import { createPolicies } from '../../src/policy/policies.ts';
import { fixedLimits } from '../../src/settings.ts';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { settleMs } from './throughput.ts';

const levels = 100;
const pathsPerLevel = 1_000;
const rounds = 7;
const maxMicroseconds = 5;
const patterns = ['secrets/**', '**/*.pem.txt', 'generated/**/*.ts', 'docs/{internal,private}/**'];

export async function measurePolicy(directory: string): Promise<Figure[]> {
  const clock = createSystemClock();
  const gate = createGate({ files: createNodeFiles(), clock, maxEntries: fixedLimits.request.entries });
  const places = Array.from({ length: levels }, (_, level) => join(directory, 'd/'.repeat(level)).replace(/\/$/u, ''));
  mkdirSync(places.at(-1) as string, { recursive: true });
  const names = Array.from({ length: pathsPerLevel }, (_, n) =>
    n % 10 === 0 ? `secrets/${n}.ts` : `part-${n % 7}/file-${n}.ts`,
  );
  for (const [level, place] of places.entries()) {
    const kind = level % 2 === 0 ? 'allow' : 'block';
    const exclude = patterns.map((pattern) => `  - "${pattern}"\n`).join('');
    writeFileSync(join(place, '.ai-context-policy.yaml'), `ai_context_policy: ${kind}\nexclude:\n${exclude}`);
  }
  await delay(settleMs);
  const paths = places.flatMap((place) => names.map((name) => `${place}/${name}`));
  const policies = createPolicies({
    gate,
    clock,
    defaultPolicy: 'allow',
    policyBytes: fixedLimits.request.configBytes,
    ignoreFiles: createIgnoreFiles({ gate, ignoreFiles: 'all', homeDirectory: '/nobody' }),
  });
  const roots = [{ path: directory, realPath: directory }];
  const open = () => {
    const { policies: allowance } = createTimeAllowances(clock, { ...fixedLimits.request, policyMs: 60_000 });
    return policies.openRun({ mountedDirectory: directory, roots, followSymlinks: false, allowance });
  };
  const perPath = (begun: number): number => ((performance.now() - begun) * 1_000) / paths.length;
  const decide = async (): Promise<number> => {
    const begun = performance.now();
    const run = open();
    let allowed = 0;
    for (const path of paths) if ((await run.decide(path)).allowed) allowed += 1;
    // Every tenth path is an exception at each level.
    if (allowed !== paths.length / 2) throw new Error(`${allowed} of ${paths.length} paths are allowed`);
    return perPath(begun);
  };
  const globs = patterns.flatMap((pattern) => {
    const compiled = globOf(pattern);
    return 'glob' in compiled ? [compiled.glob] : [];
  });
  const relative = paths.map((_, n) => names[n % pathsPerLevel] as string);
  const match = (): number => {
    const begun = performance.now();
    let matched = 0;
    for (const path of relative) if (globs.some((glob) => glob.matches(path))) matched += 1;
    if (matched !== paths.length / 10) throw new Error(`${matched} of ${paths.length} paths match`);
    return perPath(begun);
  };
  await decide();
  match();
  const pairs = await inTurns(rounds, decide, match);
  const figure = figureOf({
    name: 'one decision under 100 nested policies, against its patterns alone',
    unit: 'µs',
    rounds: pairs,
  });
  return [{ ...figure, target: `≤ ${maxMicroseconds} µs`, met: figure.ours <= maxMicroseconds }];
}

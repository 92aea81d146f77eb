/** What a tree of very many names costs a check: time in short turns, however many there are (S-45). */
import { describe, expect, it } from 'vitest';
import type { World } from '../../src/access/world.ts';
import { createPause, inTurns } from '../../src/pace/turns.ts';
import { defaultEngineSettings } from '../../src/settings.ts';
import type { ValidateResult } from '../../src/validation/diagnostic.ts';
import { fileNameWarnings } from '../../src/validation/file-name-checks.ts';
import { diagnosing } from '../../src/validation/finish.ts';
import { surveyTree } from '../../src/validation/survey.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import { project } from '../support/workspace.ts';

const maxMs = 60;

describe('a check of very many names', () => {
  it('S-45 looks for misplaced configurations beside many context directories in short turns', async () => {
    const owners = Array.from({ length: 6_000 }, (_, n) => `${project}/d${n}`);
    const directories = owners.map((owner) => ({
      scope: 'dynamic' as const,
      owner,
      path: `${owner}/.context`,
      depth: 1,
    }));
    const files = [
      ...owners.map((owner) => `${owner}/context-config.json`),
      ...owners.map((owner) => `${owner}/.context/below/context-config.json`),
      ...Array.from({ length: 60_000 }, (_, n) => `${project}/other/${n}/context-config.json`),
    ];
    let found = 0;
    const longest = await longestTurnMs(async () => {
      found = (await fileNameWarnings(files, directories, createPause())).length;
    }, 3);
    expect(found).toBe(2 * owners.length);
    expect(longest).toBeLessThan(maxMs);
  });

  it('S-45 lists the first of very many findings in short turns, errors before warnings', async () => {
    const warnings = Array.from({ length: 60_000 }, (_, n) => ({
      code: n % 100 === 0 ? ('invalid_config' as const) : ('unused_pattern' as const),
      message: 'This file is not read.',
      path: `/work/${(n * 7_919) % 60_000}/x`,
      line: 1,
      column: 1,
    }));
    let result: ValidateResult | undefined;
    const longest = await longestTurnMs(async () => {
      result = await inTurns(diagnosing([...warnings, ...warnings.slice(0, 100)]), createPause());
    }, 3);
    const { diagnostics = [], valid } = result ?? {};
    expect(longest).toBeLessThan(maxMs);
    expect(valid).toBe(false);
    expect(diagnostics).toHaveLength(1_001);
    expect(diagnostics.at(-1)).toMatchObject({ code: 'more_diagnostics', message: expect.stringContaining('60000') });
    const paths = diagnostics.slice(0, 1_000).map(({ path = '' }) => path);
    expect(paths).toEqual(paths.toSorted());
    expect(diagnostics.filter(({ code }) => code === 'invalid_config')).toHaveLength(600);
    const first = warnings
      .filter(({ code }) => code !== 'invalid_config')
      .map(({ path }) => path)
      .toSorted();
    const listed = diagnostics.filter(({ code }) => code === 'unused_pattern').map(({ path }) => path);
    expect(listed).toEqual(first.slice(0, 400));
  });

  it('S-45 surveys large folders in short turns', async () => {
    const folder = (name: string) => ({ name, kind: 'directory' as const });
    const files = Array.from({ length: 5_000 }, (_, n) => ({ name: `file-${n}.ts`, kind: 'file' as const }));
    const folders = Array.from({ length: 60 }, (_, n) => folder(`d${n}`));
    const listed = (path: string) => ({ path, entries: path === project ? folders : files, truncated: false });
    const limits = { ...defaultEngineSettings.limits, entries: 1_000_000 };
    const world = {
      mountedDirectory: project,
      gate: {
        realPath: async (path: string) => ({ ok: true, realPath: path }),
        list: async (path: string) => ({ ok: true, snapshot: listed(path) }),
      },
      reach: { roots: [{ path: project, realPath: project }], followSymlinks: false, policies: { notice() {} } },
      limits,
      entriesLeft: limits.entries,
      isLate: () => false,
      leftOut: { entries: 0, depth: 0, walkMs: 0, owners: 0, includes: 0, excludes: 0 },
    } as unknown as World;
    let found = 0;
    const longest = await longestTurnMs(async () => {
      found = (await surveyTree(world, '.context')).files.length;
    }, 3);
    expect(found).toBe(300_000);
    expect(longest).toBeLessThan(maxMs);
  });
});

/** The first search of a daemon that has just started, over as many files as a large team has. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { seededRandom } from '../support/model/seeded-random.ts';
import { searchRules } from '../support/searched-rules.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { sized } from '../support/test-size.ts';

const files = sized(750, 7_480);
/** The most that a search tells of what it does not select. */
const maxRejected = 1_000;

let workspace: string;
beforeAll(() => {
  workspace = temporaryDirectory();
  const random = seededRandom(3);
  const words = Array.from({ length: 3_000 }, (_, at) => `w${(at * 7_919).toString(36)}`);
  for (let at = 0; at < files; at += 1) {
    const folder = join(workspace, '.context', `part${at % 50}`);
    mkdirSync(folder, { recursive: true });
    const text = Array.from({ length: 400 }, () => words[Math.floor(words.length * random.uniform() ** 3)]).join(' ');
    const head = `---\ntrigger: agent\ndescription: How the team handles case${at}\n---\n# Case ${at}\n\n`;
    writeFileSync(join(folder, `rule-${at}.md`), `${head}${text.replaceAll(/(.{300}\S*) /gu, '$1.\n\n')} shibboleth\n`);
  }
});

const search = (daemon: TestDaemon, query: string, rejected = 0) =>
  searchRules(daemon, { mountedDirectory: workspace, query, mode: 'keyword', rejected });

describe('the first search of a daemon', () => {
  it(`SS-12 leaves out none of ${files} files, and says nothing of limits`, {
    timeout: 60_000 + 20 * files,
  }, async () => {
    await using daemon = await startDaemon({ grantRoots: [workspace] });
    const { results, rejected = [], warnings } = await search(daemon, 'shibboleth', maxRejected);
    expect(warnings).toEqual([]);
    const told = new Set([...results, ...rejected].map(({ name }) => name));
    expect(told.size).toBe(Math.min(files, results.length + maxRejected));
    for (const at of [0, Math.floor(files / 2), files - 1]) {
      const one = await search(daemon, `how is case${at} handled`);
      expect(one.results[0]?.name).toContain(`rule-${at}`);
    }
  });
});

/** What makes a person trust the answers, and what that costs: `explain`, `check` and events, each against its like. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import { buildProgram } from '../support/build-program.ts';
import { entryPath } from '../support/daemon.ts';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { runNode } from './processes.ts';
import { createBareEngine } from './repository-size.ts';
import { settleMs } from './throughput.ts';
import { writeChain } from './workspaces.ts';

const rounds = 11;
const requestsPerRound = 30;
const checkedFiles = 2_000;

export async function measureTrust(directory: string): Promise<Figure[]> {
  return [
    await measureExplain(directory),
    await measureCheck(directory),
    ...(await measureCommands(join(directory, 'commands'))),
  ];
}

/** Each request names another file in play, so that no answer is remembered from before. */
async function measureExplain(directory: string): Promise<Figure> {
  const mountedDirectory = join(directory, 'chain');
  const chain = writeChain(mountedDirectory);
  await delay(settleMs);
  const engine = await createBareEngine(mountedDirectory, directory);
  let asked = 0;
  const perRequest = async (ask: (request: ResolveRequest) => Promise<unknown>): Promise<number> => {
    const begun = performance.now();
    for (let n = 0; n < requestsPerRound; n += 1) {
      asked += 1;
      await ask({ ...chain, files: [...(chain.files ?? []), `new-${asked}.ts`] });
    }
    return (performance.now() - begun) / requestsPerRound;
  };
  const pairs = await inTurns(
    rounds + 1,
    () => perRequest(engine.explain),
    () => perRequest(engine.resolve),
  );
  await engine.dispose();
  return figureOf({ name: 'explain, against resolve', unit: 'ms', rounds: pairs.slice(1), atMost: 2 });
}

async function measureCheck(directory: string): Promise<Figure> {
  const mountedDirectory = join(directory, 'checked');
  const paths: string[] = [];
  for (let n = 0; n < checkedFiles; n += 1) {
    const folder = join(mountedDirectory, `package-${n % 20}`, '.context');
    if (n < 20) mkdirSync(folder, { recursive: true });
    const path = join(folder, `rule-${n}.md`);
    const frontMatter = `description: What to know about part ${n}\ntrigger: always\npriority: ${n % 1_000}`;
    writeFileSync(path, `---\n${frontMatter}\n---\n${`Rule ${n}: keep functions short.\n`.repeat(20)}`);
    paths.push(path);
  }
  await delay(settleMs);
  const check = async (): Promise<number> => {
    // A new engine, which remembers nothing.
    const engine = await createBareEngine(mountedDirectory, directory);
    const begun = performance.now();
    const { diagnostics } = await engine.validate({ mountedDirectory });
    const elapsed = performance.now() - begun;
    await engine.dispose();
    if (diagnostics.length > 0) throw new Error(`the check finds something: ${diagnostics[0]?.message}`);
    return elapsed;
  };
  const bareLoop = async (): Promise<number> => {
    const begun = performance.now();
    for (const path of paths) {
      const text = await readFile(path, 'utf8');
      parse(text.slice(4, text.indexOf('\n---\n', 4)));
    }
    return performance.now() - begun;
  };
  const pairs = await inTurns(rounds + 1, check, bareLoop);
  return figureOf({
    name: 'check of 2,000 context files, against a bare loop of readFile and parse',
    unit: 'ms',
    rounds: pairs.slice(1),
    atMost: 3,
  });
}

/**
 * The program as it is installed, built from the sources, and as a clone runs it. No daemon runs; one has left its cache
 * of compiled code, which the first, unmeasured round fills.
 */
async function measureCommands(home: string): Promise<Figure[]> {
  const tree = join(home, 'tree');
  const stateDirectory = join(home, 'state');
  mkdirSync(join(tree, '.context'), { recursive: true });
  mkdirSync(join(stateDirectory, 'compile-cache'), { recursive: true, mode: 0o700 });
  writeFileSync(join(tree, '.context', 'rule.md'), '---\ntrigger: always\n---\nKeep functions short.\n');
  const built = await buildProgram();
  const contextd = (entry: string, command: string): Promise<number> =>
    runNode([entry, command], { cwd: tree, env: { HOME: home, CONTEXTD_STATE_DIR: stateDirectory } });
  const bare = ['--input-type=module', '--eval', "await import('zod'); await import('yaml')"];
  const figures: Figure[] = [];
  for (const command of ['check', 'explain']) {
    const against = async (entry: string, args: readonly string[]): Promise<[number, number][]> => {
      const ours = () => contextd(entry, command);
      return (await inTurns(rounds + 1, ours, () => runNode(args))).slice(1);
    };
    figures.push(
      figureOf({
        name: `contextd ${command} without a daemon, against node with zod and yaml`,
        unit: 'ms',
        rounds: await against(built, bare),
        atMost: 2,
      }),
      // A clone has Node strip types before anything runs, for which even a file of three lines pays.
      figureOf({
        name: '  from source, against the same from a .ts file',
        unit: 'ms',
        rounds: await against(entryPath, ['bare-imports.ts']),
      }),
    );
  }
  return figures;
}

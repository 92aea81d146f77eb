/** What it costs to look for rule files of other tools (FM-10), beside the same requests that look for none. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { composeEngine } from '../../src/bin/in-process/compose-engine.ts';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import { defaultEngineSettings } from '../../src/settings.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { silentLogger } from '../support/workspace.ts';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { settleMs } from './throughput.ts';
import { writeChain } from './workspaces.ts';

const rounds = 21;
const requestsPerRound = 50;

export async function measureFormats(directory: string): Promise<Figure[]> {
  const without = join(directory, 'without');
  const chain = writeChain(without);
  const monorepo = writeMonorepo(join(directory, 'monorepo'));
  await delay(settleMs);
  const engine = await composeEngine({
    settings: { ...defaultEngineSettings, globalContextPath: directory },
    store: createMemoryStore(),
    logger: silentLogger,
    grantedRoots: [directory],
  });
  const perRequest = async (request: ResolveRequest): Promise<number> => {
    const begun = performance.now();
    for (let n = 0; n < requestsPerRound; n += 1) await engine.resolve(request);
    return (performance.now() - begun) / requestsPerRound;
  };
  try {
    const looked = await measure('six directories with context of ours and no file of other tools', chain, 1.1);
    return [looked, await measure('a monorepo with 400 rule files of five tools', monorepo)];
  } finally {
    await engine.dispose();
  }

  async function measure(what: string, request: ResolveRequest, atMost?: number): Promise<Figure> {
    const all = { ...request, content: false };
    const none = { ...all, formats: 'none' as const };
    await perRequest(all);
    await perRequest(none);
    const pairs = await inTurns(
      rounds,
      () => perRequest(all),
      () => perRequest(none),
    );
    return figureOf({
      name: `resolve, warm: ${what}, against formats: none`,
      unit: 'ms',
      rounds: pairs,
      ...(atMost === undefined ? {} : { atMost }),
    });
  }
}

/** 50 packages with eight rule files each. */
function writeMonorepo(mountedDirectory: string): ResolveRequest {
  for (let n = 0; n < 50; n += 1) {
    const write = (path: string, text: string): void => {
      const at = join(mountedDirectory, `packages/p${n}`, path);
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, `${text}\nOf package ${n}.\n`);
    };
    write('AGENTS.md', 'Agents.');
    write('CLAUDE.md', 'Claude.');
    write('GEMINI.md', 'Gemini.');
    for (const kind of ['ts', 'css', 'md']) write(`.cursor/rules/${kind}.mdc`, `---\nglobs: **/*.${kind}\n---\n`);
    for (const kind of ['a', 'b']) write(`.roo/rules/${kind}.md`, `Roo ${kind}.`);
  }
  return { mountedDirectory, files: ['packages/p7/src/a.ts', 'packages/p8/src/b.css'] };
}

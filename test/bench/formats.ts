/** What it costs to look for rule files and ignore files of other tools (FM-10), beside the same requests that look for none. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { composeEngine } from '../../src/bin/in-process/compose-engine.ts';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import type { Engine } from '../../src/engine.ts';
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
  const compose = (ignoreFiles: 'all' | 'none') =>
    composeEngine({
      settings: { ...defaultEngineSettings, ignoreFiles, globalContextPath: directory },
      store: createMemoryStore(),
      logger: silentLogger,
      grantedRoots: [directory],
    });
  const engine = await compose('all');
  const unaware = await compose('none');
  const all = { engine, formats: 'all' as const };
  const places = {
    chain: { what: 'six directories with context of ours and no file of other tools', request: chain, atMost: 1.1 },
    monorepo: { what: 'a monorepo with 400 rule files of five tools', request: monorepo },
  };
  try {
    const noFormats = { what: 'formats: none', asked: { engine, formats: 'none' as const } };
    const noIgnoreFiles = { what: 'ignore files: none', asked: { engine: unaware, formats: 'all' as const } };
    return [
      await measure(places.chain, all, noFormats),
      await measure(places.chain, all, noIgnoreFiles),
      await measure(places.monorepo, all, noFormats),
      await measure(places.monorepo, all, noIgnoreFiles),
    ];
  } finally {
    await engine.dispose();
    await unaware.dispose();
  }
}

type Asked = { engine: Engine; formats: 'all' | 'none' };

async function perRequest(request: ResolveRequest, { engine, formats }: Asked): Promise<number> {
  const begun = performance.now();
  for (let n = 0; n < requestsPerRound; n += 1) await engine.resolve({ ...request, formats, content: false });
  return (performance.now() - begun) / requestsPerRound;
}

async function measure(
  { what, request, atMost }: { what: string; request: ResolveRequest; atMost?: number },
  asked: Asked,
  against: { what: string; asked: Asked },
): Promise<Figure> {
  const [ours, baseline] = [() => perRequest(request, asked), () => perRequest(request, against.asked)];
  await ours();
  await baseline();
  return figureOf({
    name: `resolve, warm: ${what}, against ${against.what}`,
    unit: 'ms',
    rounds: await inTurns(rounds, ours, baseline),
    ...(atMost === undefined ? {} : { atMost }),
  });
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

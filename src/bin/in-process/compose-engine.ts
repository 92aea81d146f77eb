import { createSystemClock } from '../../adapters/clock/system-clock.ts';
import { createKernelLeases } from '../../adapters/files/kernel-leases.ts';
import { createNodeFileWriter } from '../../adapters/files/node-file-writer.ts';
import { createNodeFiles } from '../../adapters/files/node-files.ts';
import { createGitWorkingTree } from '../../adapters/git/git-working-tree.ts';
import { createProcessSourceParser } from '../../adapters/source/process-source-parser.ts';
import { createWorkerTokenCounter } from '../../adapters/workers/worker-token-counter.ts';
import type { Ports } from '../../engine.ts';
import { createEngine, type Engine, type EngineOptions } from '../../engine.ts';

/** An engine on the real machine. The daemon and commands only use different stores and logs. */
export function composeEngine(
  options: Omit<EngineOptions, 'ports'> &
    Pick<Ports, 'store' | 'logger' | 'watcher' | 'embedder' | 'mcp' | 'secretKey'>,
): Promise<Engine> {
  const { store, logger, watcher, embedder, mcp, secretKey, ...rest } = options;
  const files = createNodeFiles();
  const ports = {
    files,
    leases: createKernelLeases(files),
    fileWriter: createNodeFileWriter(),
    clock: createSystemClock(),
    tokenCounter: createWorkerTokenCounter(),
    sourceParser: createProcessSourceParser(),
    workingTree: createGitWorkingTree(process.env),
    store,
    logger,
    watcher,
    embedder,
    mcp,
    secretKey,
  };
  return createEngine({ ...rest, ports });
}

/** How the daemon starts MCP servers: which variables they get, and how servers of an earlier daemon are ended. */
import { createWorkerSchemaChecker } from '../../adapters/workers/worker-schema-checker.ts';
import type { Ports } from '../../engine.ts';
import { loadOnce } from '../../pace/deferred-verbs.ts';
import type { McpLauncher } from '../../ports/mcp-launcher.ts';
import type { Logger } from '../../ports/ports.ts';
import { packageVersion } from '../state/package-info.ts';

/**
 * Variables that most programs need. A server gets nothing else of the daemon's environment (S-24), except variables
 * that an approved definition of another tool names.
 */
const passedOn = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];

/**
 * Delay before leftover servers are ended, because requests come first. A request that needs a server ends them first.
 */
const sweepAfterMs = 100;

/** Soon ends, in the background, servers that a killed daemon left running (S-32). */
export function composeMcp(options: {
  stateDirectory: string;
  environment: Record<string, string | undefined>;
  ownPort(): number | undefined;
  logger: Logger;
}): NonNullable<Ports['mcp']> {
  const { stateDirectory, environment, ownPort, logger } = options;
  const load = loadOnce(async (): Promise<McpLauncher> => {
    const { createMcpLauncher } = await import('../../adapters/mcp/launcher.ts');
    const client = { name: 'contextd', version: packageVersion() };
    const launcher = createMcpLauncher({ stateDirectory, ownPort, client });
    launcher
      .sweep()
      .then((ended) => ended > 0 && logger.warn({ ended }, 'processes of MCP servers were left running and are ended'))
      .catch(mayBeLeft);
    return launcher;
  });
  const mayBeLeft = (error: unknown) => logger.error({ err: error }, 'processes of MCP servers may be left running');
  setTimeout(() => load().catch(mayBeLeft), sweepAfterMs).unref();
  const kept = passedOn.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value]];
  });
  const variableOf = (name: string) => (Object.hasOwn(environment, name) ? environment[name] : undefined);
  return { load, environment: Object.fromEntries(kept), variableOf, schemaChecker: createWorkerSchemaChecker() };
}

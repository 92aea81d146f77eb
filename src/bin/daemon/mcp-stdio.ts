/** contextd as an MCP server on standard input and output, in front of the daemon (MC-05). */
import { resolve } from 'node:path';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { ContextdError } from '../../errors.ts';
import { createContextChanges } from '../../mcp-server/changes.ts';
import { createContextServer, followChanges } from '../../mcp-server/server.ts';
import { expandHome, fixedLimits } from '../../settings.ts';
import { askContext } from '../client/ask-context.ts';
import { daemonPlace } from '../client/daemon-place.ts';
import { exitCodes, wrongUsage } from '../exit-codes.ts';
import { visibleLines } from '../render/terminal-text.ts';
import { packageVersion } from '../state/package-info.ts';
import { processSurroundings, type Surroundings } from '../state/state-directory.ts';
import { readMessageLines } from './message-lines.ts';
import { connectTo } from './start-daemon.ts';

/** Serves until the input ends, then ends the process. Throws `CommandFailure` if no daemon can run. */
export async function serveMcpOnStdio(flags: { mount?: string[]; stateDir?: string }): Promise<void> {
  const surroundings = processSurroundings();
  const { cwd, home } = surroundings;
  const mountedDirectories = (flags.mount ?? []).map((mount) => resolve(cwd, expandHome(mount, home)));
  if (mountedDirectories.length > fixedLimits.mcpEndpoint.mounts)
    throw wrongUsage(`--mount can be given ${fixedLimits.mcpEndpoint.mounts} times at most.`);

  const connect = connectTo(daemonPlace(flags.stateDir, surroundings));
  // Fails now if no daemon can run, not at the first question.
  await connect({ mayStart: true });
  const verbs = askContext(connect);
  const changes = createContextChanges(verbs, report);
  const fallback = isWorkplace(surroundings) ? cwd : undefined;
  const version = packageVersion();
  const transport = new StdioServerTransport(readMessageLines(process.stdin, writeLine));
  const handle = serveStdio(
    ({ era }) => {
      const place = { mountedDirectories, fallback, looksAround: true };
      const server = createContextServer({ verbs, changes, version, ...place, onError: report });
      followChanges(server, changes, { all: era === 'modern', onError: report });
      return server;
    },
    { onerror: report, transport },
  );
  const end = (): void => void handle.close().finally(() => process.exit(exitCodes.ok));
  // It closes at the end of the input, and after an error of input or output.
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    end();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
}

/** Desktop clients start their servers in the home directory, or in `/`. */
function isWorkplace({ cwd, home }: Surroundings): boolean {
  return cwd !== '/' && cwd !== home;
}

/** Resolves when the line is written, or cannot be written. */
function writeLine(value: unknown): Promise<void> {
  return new Promise((done) => void process.stdout.write(`${JSON.stringify(value)}\n`, () => done()));
}

function report(error: unknown): void {
  const words =
    error instanceof Error && !(error instanceof ContextdError) ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${visibleLines(`contextd mcp: ${words}`)}\n`);
}

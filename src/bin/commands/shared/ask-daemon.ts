/** Shared by commands that ask the running daemon and print pages. Code is loaded only when they run. */
import type { SearchStatus } from '../../../search/index-verbs.ts';
import type { DaemonClient, DaemonRequest } from '../../client/client.ts';
import { daemonPlace } from '../../client/daemon-place.ts';
import { printJson } from '../../render/json.ts';
import type { Sheet } from '../../render/page.ts';
import { processSurroundings } from '../../state/state-directory.ts';

type StateFlags = { stateDir?: string };

/** Throws `CommandFailure` 69 if the daemon does not run. */
export async function runningDaemon({ stateDir }: StateFlags): Promise<DaemonClient> {
  const { requireDaemon } = await import('../../client/client.ts');
  return requireDaemon(daemonPlace(stateDir, processSurroundings()));
}

export async function askDaemon<Answer>(flags: StateFlags, asked: DaemonRequest): Promise<Answer> {
  return (await runningDaemon(flags)).request<Answer>(asked);
}

/** Tells to which server searched text is sent, if any. A daemon that ran already has its own options. */
export async function tellEmbedding({ request }: Pick<DaemonClient, 'request'>): Promise<void> {
  const { endpoint } = await request<SearchStatus>({ method: 'GET', path: '/v1/search/status' });
  if (endpoint === undefined) return;
  const { embeddingWords } = await import('../../render/ready-message.ts');
  console.log(`Embedding: ${embeddingWords(endpoint)}`);
}

/** The lines of a page. It imports the code of the page itself. */
type Render = (sheet: Sheet) => string[] | Promise<string[]>;

/** Prints a page that fits the terminal. `directory`: what the page is about. */
export async function printPage(render: Render, directory?: string): Promise<void> {
  const { terminalSheet } = await import('../../render/page.ts');
  const lines = await render(terminalSheet(processSurroundings().home, directory));
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Prints an answer: with `--json` as it is, otherwise as a page. */
export async function printResult(result: unknown, { json }: { json?: boolean }, render: Render): Promise<void> {
  if (json === true) printJson(result);
  else await printPage(render);
}

/** What commands share that ask the running daemon and print pages. What they need is loaded when they run. */
import type { SearchStatus } from '../../search/index-verbs.ts';
import type { DaemonClient, DaemonRequest } from '../client/client.ts';
import { daemonPlace } from '../client/daemon-place.ts';
import type { Sheet } from '../render/page.ts';
import { processSurroundings } from '../state/state-directory.ts';

type StateFlags = { stateDir?: string };

/** The daemon that is meant; `CommandFailure` 69 when it does not run. */
export async function runningDaemon({ stateDir }: StateFlags): Promise<DaemonClient> {
  const { requireDaemon } = await import('../client/client.ts');
  return requireDaemon(daemonPlace(stateDir, processSurroundings()));
}

export async function askDaemon<Answer>(flags: StateFlags, asked: DaemonRequest): Promise<Answer> {
  return (await runningDaemon(flags)).request<Answer>(asked);
}

/** Says where what is searched is sent, if it is: a daemon that ran already has options of its own. */
export async function tellEmbedding({ request }: Pick<DaemonClient, 'request'>): Promise<void> {
  const { endpoint } = await request<SearchStatus>({ method: 'GET', path: '/v1/search/status' });
  if (endpoint === undefined) return;
  const { embeddingWords } = await import('../render/ready-message.ts');
  console.log(`Embedding: ${embeddingWords(endpoint)}`);
}

/** Prints a page as it fits the terminal. */
export async function printPage(render: (sheet: Sheet) => string[]): Promise<void> {
  const { terminalSheet } = await import('../render/page.ts');
  process.stdout.write(`${render(terminalSheet(processSurroundings().home)).join('\n')}\n`);
}

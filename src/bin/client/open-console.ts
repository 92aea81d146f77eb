/** Signs the console in (S-10): a page on disk that a browser opens, or an address with a code for a person. */
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ConsoleCode, SignInPage } from '../../../routes/console.ts';
import { isInside, normalizePath } from '../../access/paths.ts';
import { visibleText } from '../../texts/visible-text.ts';
import type { DaemonClient } from './client.ts';
import { grantedRootsOf } from './granted-roots.ts';
import { openBrowser } from './open-browser.ts';

type Client = Pick<DaemonClient, 'request'>;

/** `url` contains a code unless the console is open. `started`: whether a browser could be started. */
type OpenedConsole = { url: string; expiresAt: string; opened: boolean; started: boolean };

/** A browser that has not signed in after this time has probably not read the page. */
const patienceMs = 10_000;

/**
 * Starts a browser, unless `print`, and waits until it has signed in. If none signs in, asks for a code. `directory`:
 * the mounted directory that the console shows. Default: the current directory, if it may be read.
 */
export async function openConsole(
  client: Client,
  { directory, print = false }: { directory?: string; print?: boolean } = {},
): Promise<OpenedConsole> {
  const shown = directory ?? (await currentDirectory(client));
  // A daemon that was named may run on another machine, where no browser here can read the page. A person can still
  // open an address.
  const isNamed = !('discovery' in client);
  const page = print || isNamed ? undefined : await createPage(client, shown).catch(() => undefined);
  const started = page !== undefined && (await openBrowser(pathToFileURL(page.file).href));
  if (page !== undefined && started && (await wasUsed(page))) {
    return { url: page.url, expiresAt: page.expiresAt, opened: true, started };
  }
  const { url, expiresAt } = await client.request<ConsoleCode>({ method: 'POST', path: '/v1/console/codes' });
  const address = shown === undefined ? url : `${url}&dir=${encodeURIComponent(shown)}`;
  return { url: address, expiresAt, opened: false, started };
}

function createPage({ request }: Client, directory: string | undefined): Promise<SignInPage> {
  return request<SignInPage>({ method: 'POST', path: '/v1/console/sign-in-pages', body: { directory } });
}

/** Waits until the daemon has removed the page, which it does when the code was used. */
async function wasUsed({ file }: SignInPage): Promise<boolean> {
  for (const end = performance.now() + patienceMs; existsSync(file); await delay(50))
    if (performance.now() > end) return false;
  return true;
}

/** The current directory, if it is in a granted root. */
async function currentDirectory(client: Client): Promise<string | undefined> {
  const roots = await grantedRootsOf(client);
  const current = normalizePath(process.cwd());
  return roots.some(({ path, origin }) => origin !== 'global' && isInside(path, current)) ? current : undefined;
}

/** The message: what was done, or what to do. It contains the code only if no browser has used one. */
export function consoleMessage({ url, opened, started }: Omit<OpenedConsole, 'expiresAt'>): string {
  if (opened) return `The console is open in your browser: ${url}`;
  const why = started
    ? 'The browser has not signed in. One in a snap or flatpak cannot read the file it was given, and Safari knows no names below localhost.'
    : 'No browser could be started.';
  const { hostname, port } = new URL(url);
  const tunnel = `\nIf you sit at another machine, run there first: ssh -N -L ${port}:localhost:${port} <this machine>`;
  const isRemote = !started && process.env.SSH_CONNECTION !== undefined && hostname.endsWith('.localhost');
  return `${why} Open this address within 60 s; it works once:\n${url}${isRemote ? tunnel : ''}`;
}

/**
 * Opens the console of the daemon of a state directory, and tells the user the result. Never throws, because the daemon
 * runs in any case. Returns whether a browser shows the console.
 */
export async function openConsoleOf(
  stateDirectory: string,
  { tell = () => {}, isTerminal }: { tell?: ((text: string) => void) | undefined; isTerminal: boolean },
): Promise<boolean> {
  try {
    const { requireDaemon } = await import('./client.ts');
    const result = await openConsole(await requireDaemon(stateDirectory));
    // If nobody has signed in, the address contains a code, which must not be kept in a file (S-10).
    const hint = 'No browser has signed in; for an address to open: contextd open --print';
    tell(result.opened || isTerminal ? consoleMessage(result) : hint);
    return result.opened;
  } catch (error) {
    tell(`contextd: the console could not be opened: ${visibleText((error as Error).message)}`);
    return false;
  }
}

/** Signs the console in (S-10): an address with a code in its fragment, and a browser that opens it. */
import type { z } from 'zod';
import type { ConsoleCode } from '../../routes/console.ts';
import type { GrantedRoots } from '../../routes/roots.ts';
import { isInside, normalizePath } from '../paths.ts';
import type { DaemonClient } from './client.ts';
import { openBrowser } from './open-browser.ts';

export type OpenedConsole = { url: string; expiresAt: string; opened: boolean };

/**
 * Asks for a code and, unless `print`, opens a browser with it. `directory` is the mounted directory that the console
 * shows; without it, the current one where it may be read.
 */
export async function openConsole(
  { request }: Pick<DaemonClient, 'request'>,
  { directory, print = false }: { directory?: string; print?: boolean } = {},
): Promise<OpenedConsole> {
  const { roots } =
    directory === undefined
      ? await request<z.infer<typeof GrantedRoots>>({ method: 'GET', path: '/v1/roots' })
      : { roots: [] };
  const granted = roots.filter(({ origin }) => origin !== 'global').map(({ path }) => path);
  const { url, expiresAt } = await request<ConsoleCode>({ method: 'POST', path: '/v1/console/codes' });
  const address = consoleAddress(url, directory ?? directoryWithin(granted));
  return { url: address, expiresAt, opened: !print && (await openBrowser(address)) };
}

/** `url` ends in the code. */
export function consoleAddress(url: string, directory: string | undefined): string {
  return directory === undefined ? url : `${url}&dir=${encodeURIComponent(directory)}`;
}

/** The current directory, where it lies in one of `roots`. */
export function directoryWithin(roots: readonly string[]): string | undefined {
  const current = normalizePath(process.cwd());
  return roots.some((root) => isInside(root, current)) ? current : undefined;
}

/** What a person reads: what was done, or what to do. The code is in it only where no browser took it. */
export function consoleMessage({ url, opened }: Pick<OpenedConsole, 'url' | 'opened'>): string {
  return opened
    ? `The console opens in your browser: ${new URL(url).origin}/`
    : `No browser could be started. Open this address within 60 s; it works once:\n${url}`;
}

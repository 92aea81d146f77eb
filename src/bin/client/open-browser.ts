/**
 * Starts the user's browser with the system's own program for that, and never through a shell. Other users can read the
 * arguments, so the URL must contain no secret. The program gets no secrets of contextd in its environment.
 */
import { spawn } from 'node:child_process';

type Machine = { platform: NodeJS.Platform; environment: Record<string, string | undefined> };

/** A program that still runs after this time counts as started: it may be the browser itself. */
const patienceMs = 2_000;

/** Returns whether a browser was started. It continues after the end of this process. Never throws. */
export function openBrowser(
  url: string,
  { platform, environment }: Machine = { platform: process.platform, environment: process.env },
): Promise<boolean> {
  const command = browserCommand(url, { platform, environment });
  if (command === undefined) return Promise.resolve(false);
  const [program, ...args] = command;
  const started = new Promise<boolean>((resolve) => {
    const options = { detached: true, stdio: 'ignore', cwd: '/' } as const;
    // Undefined variables are left out.
    const env = { ...environment, CONTEXTD_EMBEDDER_KEY: undefined, CONTEXTD_TOKEN: undefined };
    const child = spawn(program, args, { ...options, env });
    const timer = setTimeout(() => resolve(true), patienceMs);
    const finish = (isOpen: boolean): void => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    child.once('error', () => finish(false));
    child.once('exit', (code) => finish(code === 0));
    child.unref();
  });
  return started.catch(() => false);
}

/**
 * The program and its arguments. Undefined without a screen. `BROWSER` wins if it is the name of a program without
 * arguments; of several names, the first counts.
 */
export function browserCommand(
  url: string,
  { platform, environment }: Machine,
): readonly [program: string, ...args: string[]] | undefined {
  const [own = ''] = (environment.BROWSER ?? '').split(':', 1);
  if (/^[^\s%]+$/u.test(own)) return [own, url];
  if (platform === 'darwin') return ['open', url];
  const hasScreen = Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
  return hasScreen ? ['xdg-open', url] : undefined;
}

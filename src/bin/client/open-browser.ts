/**
 * Starts the user's browser, by a program that the system has for that; never through a shell. Other users can read its
 * arguments: what is opened holds no secret. Its environment has none of contextd's.
 */
import { spawn } from 'node:child_process';

type Machine = { platform: NodeJS.Platform; environment: Record<string, string | undefined> };

/** A program that does not end by then has a browser to look after. */
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
 * Program and arguments; undefined where there is no screen to show a browser on. `BROWSER` wins where it names a
 * program alone; of several, the first.
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

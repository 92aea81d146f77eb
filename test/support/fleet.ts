/** What tests of several daemons with one store share. */
import { get } from 'node:http';
import { type Answer, type DaemonOptions, startDaemon, type TestDaemon, until } from './daemon.ts';

/** A daemon with its own state directory, and this store. */
export function startSidecar(store: string, options: DaemonOptions = {}): Promise<TestDaemon> {
  return startDaemon({ ...options, env: { CONTEXTD_STORE: store, ...options.env } });
}

/** A busy machine may be too slow for the time that a connection has. */
const isUnconnected = ({ status, text }: Answer): boolean =>
  status === 503 && text.includes('PostgreSQL cannot be reached');

type Heard = { atMs: number; type: string; data: Record<string, unknown> };
type EventReader = { heard: Heard[]; close(): void };

/** Reads events of a daemon from now on. */
export function readEvents({ url, token }: Pick<TestDaemon, 'url' | 'token'>): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const heard: Heard[] = [];
    let rest = '';
    const headers = { authorization: `Bearer ${token}` };
    const request = get(`${url}/v1/events`, { agent: false, headers }, (response) => {
      response.setEncoding('utf8').on('data', (text: string) => {
        const blocks = `${rest}${text}`.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const data = /^data: (.*)$/mu.exec(block)?.[1];
          if (data === undefined) continue;
          const parsed = JSON.parse(data) as Record<string, unknown>;
          heard.push({ atMs: performance.now(), type: `${parsed.type}`, data: parsed });
        }
      });
      response.on('error', () => {});
      resolve({ heard, close: () => request.destroy() });
    });
    request.on('error', reject);
  });
}

/** The answer's body, or the reason why there is none. Asks again as long as there is no connection to the store. */
export async function bodyOf<Body>(
  daemon: TestDaemon,
  path: string,
  options: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Body> {
  const { status, body, text } = await until(async () => {
    const answer = await daemon.request(path, options);
    return isUnconnected(answer) ? undefined : answer;
  });
  if (status >= 300) throw new Error(`${options.method ?? ''} ${path}: ${status} ${text}`);
  return body as Body;
}

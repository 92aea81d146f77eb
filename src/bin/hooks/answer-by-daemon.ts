/** The daemon's answer to a hook. This loads little code, because a tool waits. */
import { findDaemon } from '../client/client.ts';
import { daemonPlace } from '../client/daemon-place.ts';
import type { Surroundings } from '../state/state-directory.ts';
import { projectNamedIn } from './project-variables.ts';

type Asked = { tool: string; input: string; stateDir: string | undefined; surroundings: Surroundings };

/** Less than the whole time of a hook, so that there is time to answer without the daemon. */
const patienceMs = 10_000;

/** `undefined` if the daemon does not answer, or may not read what the event is about. */
export async function answerByDaemon({ tool, input, stateDir, surroundings }: Asked): Promise<object | undefined> {
  const { environment, cwd } = surroundings;
  // The daemon has its own.
  if (environment.CLIENT_CONTEXT_PATH !== undefined || environment.GLOBAL_CONTEXT_PATH !== undefined) return undefined;
  try {
    const found = await findDaemon(daemonPlace(stateDir, surroundings));
    if (!found.ok) return undefined;
    const project = projectNamedIn(environment, tool);
    const query = new URLSearchParams({ cwd, outside: 'problem', ...(project === undefined ? {} : { project }) });
    return await found.client.request<object>({
      method: 'POST',
      path: `/v1/hooks/${tool}?${query}`,
      body: JSON.parse(input) as unknown,
      timeoutMs: patienceMs,
    });
  } catch {
    return undefined;
  }
}

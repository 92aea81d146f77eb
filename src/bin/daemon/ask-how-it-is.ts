/** Asks the running daemon about its state, as findings of the doctor. */

import type { GrantedRoots } from '../../../routes/roots.ts';
import type { Status } from '../../../routes/status.ts';
import { grantedPaths } from '../../access/granted-paths.ts';
import type { Warning } from '../../warnings.ts';
import { findDaemon } from '../client/client.ts';
import type { DaemonPlace } from '../client/daemon-place.ts';
import { grantedRootsOf } from '../client/granted-roots.ts';
import { packageVersion } from '../state/package-info.ts';
import { type Finding, mendDamage, mendFullDisk } from './finding.ts';

/** `isRunning`: it answers, so the doctor can ask it instead of reading its files. */
export async function askHowItIs(place: DaemonPlace): Promise<{ isRunning: boolean; findings: Finding[] }> {
  try {
    const found = await findDaemon(place);
    if (found.ok) {
      const { request } = found.client;
      const status = await request<Status>({ method: 'GET', path: '/v1/status' });
      return { isRunning: true, findings: findingsOf(status, await grantedRootsOf(found.client)) };
    }
    const mend =
      typeof place === 'string' ? 'contextd start --grant-root <dir>' : 'CONTEXTD_URL says where it should be.';
    const state = typeof place === 'string' ? 'notice' : 'fault';
    return { isRunning: false, findings: [{ subject: 'daemon', state, says: found.reason, mend }] };
  } catch (error) {
    const finding: Finding = { subject: 'daemon', state: 'fault', says: (error as Error).message };
    if (typeof place !== 'string') finding.mend = 'Look at CONTEXTD_URL and CONTEXTD_TOKEN.';
    return { isRunning: false, findings: [finding] };
  }
}

function findingsOf(status: Status, roots: GrantedRoots['roots']): Finding[] {
  const { version, url, requests, watching, search, servers, log, warnings } = status;
  const findings: Finding[] = [];
  const add = (subject: string, says: string, mend?: string): void => {
    findings.push({ subject, state: mend === undefined ? 'good' : 'notice', says, mend });
  };
  const own = packageVersion();
  if (version === own) add('daemon', `version ${version} runs on ${url}`);
  else
    add('daemon', `version ${version} runs on ${url}; this command is ${own}.`, 'contextd stop, then: contextd start');
  const granted = grantedPaths(roots);
  if (granted.length > 0) add('granted roots', granted.join(', '));
  else add('granted roots', 'The daemon may not read any directory.', 'contextd roots grant <dir>');
  if (search.state === 'failed' && search.installed)
    add('model', `${search.model} cannot be used: ${search.reason ?? 'it failed'}`, 'contextd warm');
  else if (search.endpoint !== undefined)
    add('model', `${search.model} of ${search.endpoint}, which gets all searched text (${search.state})`);
  else if (search.installed) add('model', `${search.model} (${search.state})`);
  else add('model', `${search.model} is missing; search compares only words.`, 'contextd warm (downloads it)');
  if (watching.degraded === 'polling')
    add(
      'watching',
      'The system has no more file watches; the daemon looks for changes every two seconds.',
      moreWatches,
    );
  if (watching.degraded === 'too_many_directories')
    add(
      'watching',
      'There are more directories than can be watched; some changes are not noticed.',
      'Mount a smaller directory.',
    );
  if (servers.failed > 0) add('MCP servers', `${servers.failed} failed.`, 'contextd mcp list');
  if (requests.failed > 0)
    add('requests', `${requests.failed} failed since the start.`, `Look into ${log ?? 'its log, on standard error'}.`);
  for (const { code, message } of warnings) add('warning', message, mends[code] ?? mendSettings);
  return findings;
}

const mendSettings = 'Correct it, then: contextd stop, contextd start';
/** What is not mended by another start, which might even fail. */
const mends: Partial<Record<Warning['code'], string>> = {
  store_unavailable: 'Look at the server. The daemon tries again by itself; leave it running.',
  storage_full: mendFullDisk,
  database_quarantined: mendDamage,
  database_removed: 'Do what it says, before the daemon ends.',
};

export const moreWatches = 'sudo sysctl fs.inotify.max_user_watches=524288';

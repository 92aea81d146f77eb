/**
 * Checks whether the running daemon and the stored data have this version, and, if the user names a registry, whether
 * there is a newer version.
 */
import { join } from 'node:path';
import { schemaVersionOf } from '../../adapters/sqlite/health.ts';
import { migrations } from '../../adapters/sqlite/schema.ts';
import { findDaemon } from '../client/client.ts';
import { CommandFailure, exitCodes, wrongUsage } from '../exit-codes.ts';
import { packageVersion } from '../state/package-info.ts';
import { stateNames } from '../state/state-directory.ts';

type VersionCheck = {
  version: string;
  /** Undefined if no daemon runs. */
  daemonVersion?: string;
  /** Of the database, and the newest one that this program knows. Undefined if a daemon runs, or without a database. */
  schema?: { stored: number; known: number };
  /** The newest one in the registry that was asked. */
  newest?: string;
  /** What to do. Empty if everything is well. */
  findings: string[];
};

const timeoutMs = 10_000;
const maxBytes = 1024 * 1024;

/**
 * Changes nothing. Uses the network only if `registry` is given. Throws `CommandFailure` 69 if it does not answer.
 */
export async function checkVersion(stateDirectory: string, registry: string | undefined): Promise<VersionCheck> {
  const version = packageVersion();
  const findings: string[] = [];
  const found = await findDaemon(stateDirectory);
  const daemonVersion = found.ok ? found.client.discovery.version : undefined;
  if (daemonVersion !== undefined && daemonVersion !== version)
    findings.push(`The running daemon has version ${daemonVersion}. Restart it: contextd stop, then contextd start.`);
  const stored = found.ok ? undefined : schemaVersionOf(join(stateDirectory, stateNames.store));
  const schema = stored === undefined ? undefined : { stored, known: migrations.length };
  if (schema !== undefined && schema.stored > schema.known)
    findings.push(
      `The database was written by a newer contextd (schema ${schema.stored}; this one knows ${schema.known}).`,
    );
  else if (schema !== undefined && schema.stored < schema.known)
    findings.push(
      `The next start updates the database from schema ${schema.stored} to ${schema.known}, and keeps a copy.`,
    );
  const newest = registry === undefined ? undefined : await newestIn(registry);
  if (newest !== undefined && isNewer(newest, version))
    findings.push(`${newest} is the newest: npm install -g --registry=${registry} contextd@${newest}`);
  return { version, daemonVersion, schema, newest, findings };
}

/** Both are `<major>.<minor>.<patch>`, perhaps with a pre-release such as `-beta.1`. */
function isNewer(found: string, own: string): boolean {
  const [first = '', ...preFound] = found.split('-');
  const [second = '', ...preOwn] = own.split('-');
  const order = compareNumerically(first, second);
  if (order !== 0) return order > 0;
  if (preFound.length === 0 || preOwn.length === 0) return preOwn.length > preFound.length;
  return compareNumerically(preFound.join('-'), preOwn.join('-')) > 0;
}

function compareNumerically(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

/** The version that a registry of npm packages calls the latest. */
async function newestIn(registry: string): Promise<string> {
  const base = URL.parse(registry.endsWith('/') ? registry : `${registry}/`);
  if (base === null || !/^https?:$/u.test(base.protocol))
    throw wrongUsage(`--registry takes the address of a registry, not "${registry}".`);
  const url = new URL('contextd/latest', base);
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    const { version } = JSON.parse(await textOf(answer)) as { version?: unknown };
    if (typeof version !== 'string' || !/^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[\w.]{1,64})?$/u.test(version))
      throw new Error('it does not name a version');
    return version;
  } catch (error) {
    throw new CommandFailure(exitCodes.unavailable, `${url.host} cannot be asked: ${(error as Error).message}`);
  }
}

async function textOf(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new Error('its answer is too long');
    text += decoder.decode(piece, { stream: true });
  }
  return text;
}

/** The address of a PostgreSQL in the format of libpq, and how the identity of the server is verified. */
import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import type { PostgresConnection } from '../../adapters/postgres/connections.ts';
import { Unusable } from '../../adapters/postgres/refusals.ts';
import { schemaPattern, tenantPattern } from '../../adapters/postgres/tenant-name.ts';
import { expandHome } from '../../settings.ts';
import { CommandFailure, wrongSetup, wrongUsage } from '../exit-codes.ts';
import type { Surroundings } from './state-directory.ts';
import { useFile } from './use-file.ts';

/** A parsed `--store`. `shown`: without secrets. `secretFiles`: absolute paths of files with secrets. */
type PostgresAddress = { connection: PostgresConnection; schema: string; shown: string; secretFiles: string[] };

/**
 * The store that daemons share. `tenant`: only daemons of the same tenant share state. `direct`: the same database
 * without the connection pooler.
 */
export type SharedStore = PostgresAddress & {
  tenant: string;
  passwordFile?: string;
  direct?: PostgresConnection;
};

type StoreFlags = { store?: string; storeDirect?: string; storePasswordFile?: string; tenant?: string };

/**
 * `undefined` for the default, the store of a single daemon. Throws `CommandFailure` 78, and 64 for flags without
 * effect.
 */
export function parseStore(flags: StoreFlags, { environment, cwd, home }: Surroundings): SharedStore | undefined {
  const address = flags.store ?? (environment.CONTEXTD_STORE || alone);
  if (address === alone) {
    const given = {
      '--tenant': flags.tenant,
      '--store-direct': flags.storeDirect,
      '--store-password-file': flags.storePasswordFile,
    };
    const which = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
    if (which === undefined) return undefined;
    throw wrongUsage(`${which} needs a PostgreSQL: --store postgres://…`);
  }
  const { tenant = 'default', storePasswordFile } = flags;
  if (!tenantPattern.test(tenant))
    throw wrongUsage('--tenant must be 1 to 40 characters of a-z, 0-9, ".", "_" and "-".');
  const passwordFile = storePasswordFile === undefined ? undefined : resolve(cwd, expandHome(storePasswordFile, home));
  const own = { tenant, passwordFile };
  const pooled = parseAs('the store', address, passwordFile);
  const directAddress = flags.storeDirect ?? (environment.CONTEXTD_STORE_DIRECT || undefined);
  if (directAddress === undefined) return { ...pooled, ...own };
  const direct = parseAs('the direct connection', directAddress, passwordFile);
  return {
    ...pooled,
    ...own,
    direct: direct.connection,
    shown: `${pooled.shown}, directly ${direct.shown}`,
    secretFiles: [...pooled.secretFiles, ...direct.secretFiles],
  };
}

/** Throws `CommandFailure` 78 with the source of the address. */
function parseAs(what: string, address: string, passwordFile: string | undefined): PostgresAddress {
  try {
    return parsePostgresAddress(address, passwordFile);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    throw new CommandFailure(error.exitCode, `The address of ${what} cannot be used: ${error.message}.`);
  }
}

const alone = 'sqlite';
const parameters = ['schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
const largestFile = 64 * 1024;

/**
 * Throws `CommandFailure` 78 with what to do, without parts of the address that may be secret. `passwordFile`: absolute
 * path.
 */
function parsePostgresAddress(address: string, passwordFile?: string): PostgresAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^postgres(?:ql)?:$/u.test(url.protocol))
    throw wrongSetup('it must be an address such as postgres://user@host:5432/database');
  const given = readParameters(url);
  const host = bare(decoded(url.hostname, 'host'));
  if (host === '' || /[\s,\0]/u.test(host))
    throw wrongSetup('it must name one host, or the directory of a socket with %2F for each "/"');
  const user = decoded(url.username, 'user');
  if (user === '') throw wrongSetup('it must name the user of the database: postgres://<user>@<host>/<database>');
  const database = decoded(url.pathname.slice(1), 'database') || user;
  const password = url.password === '' ? undefined : decoded(url.password, 'password');
  if (passwordFile !== undefined) readPassword(passwordFile);
  const source = passwordFile === undefined ? password : async () => readPasswordAgain(passwordFile);
  const schema = given.get('schema') ?? 'contextd';
  if (!schemaPattern.test(schema)) throw wrongSetup('"schema" must be 1 to 40 characters of a-z, 0-9 and _');
  const port = url.port === '' ? 5432 : Number(url.port);
  const { ssl, mode } = tlsOf(given, host);
  return {
    connection: {
      host,
      port,
      database,
      user,
      ssl,
      ...(source !== undefined && { password: source }),
    },
    schema,
    shown: `postgres://${url.host}/${database} (TLS: ${mode})`,
    secretFiles: [passwordFile, given.get('sslkey')].filter((path) => path !== undefined),
  };
}

/** Whether the address contains a password. */
export function hasPassword(address = ''): boolean {
  return URL.canParse(address) && new URL(address).password !== '';
}

function readParameters(url: URL): Map<string, string> {
  const given = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    // Does not repeat the name: it may be part of a password with an unescaped "?" or "#".
    if (!parameters.includes(name)) throw wrongSetup(`only the parameters ${parameters.join(', ')} are known`);
    if (given.has(name)) throw wrongSetup(`it has "${name}" twice`);
    given.set(name, value);
  }
  if (url.hash !== '') throw wrongSetup('it has a "#"; write it as %23');
  return given;
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrongSetup(`its ${what} has a "%" that does not begin an escape; write it as %25`);
  }
}

/** Without the brackets of an IPv6 address. */
const bare = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host);

/** Whether the host is this machine. */
function isLocal(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** The modes of libpq, except those that may connect without TLS unintentionally: they are refused. */
function tlsOf(given: ReadonlyMap<string, string>, host: string): { ssl: PostgresConnection['ssl']; mode: string } {
  const mode = given.get('sslmode') ?? (isLocal(host) ? 'disable' : 'verify-full');
  const root = given.get('sslrootcert');
  if (mode === 'disable') return { ssl: false, mode: 'none' };
  if (mode === 'allow' || mode === 'prefer')
    throw wrongSetup(`sslmode=${mode} may connect without TLS; use disable, require or verify-full`);
  if (!['require', 'verify-ca', 'verify-full'].includes(mode))
    throw wrongSetup('sslmode must be disable, require, verify-ca or verify-full');
  const hasRoot = root !== undefined && root !== 'system';
  const trusted = hasRoot ? { ca: readFile(root, 'sslrootcert') } : {};
  // Like libpq, `require` verifies the server if there is a root certificate.
  const isVerified = mode !== 'require' || hasRoot;
  const isNamed = mode === 'verify-full';
  const [certificate, key] = [given.get('sslcert'), given.get('sslkey')];
  if ((certificate === undefined) !== (key === undefined)) throw wrongSetup('sslcert and sslkey belong together');
  return {
    mode: isVerified && mode === 'require' ? 'verify-ca' : mode,
    ssl: {
      ...trusted,
      ...(certificate === undefined || key === undefined
        ? {}
        : { cert: readFile(certificate, 'sslcert'), key: readFile(key, 'sslkey') }),
      rejectUnauthorized: isVerified,
      ...(isNamed ? {} : { checkServerIdentity: () => undefined }),
    },
  };
}

/** The first line of the file. Its mode is not checked, because a mounted secret is a link that others may read. */
function readPassword(path: string): string {
  const [password = ''] = readFile(path, '--store-password-file').split(/\r?\n/u, 1);
  if (password === '') throw wrongSetup(`${path} (--store-password-file) is empty`);
  return password;
}

/** `/health` says to everybody why it fails, so without the path. */
function readPasswordAgain(path: string): string {
  try {
    return readPassword(path);
  } catch (error) {
    const why = (error as Error).message.replace(`${path} (--store-password-file)`, 'The --store-password-file');
    throw new Unusable('unavailable', `${why}.`);
  }
}

function readFile(path: string, what: string): string {
  // A relative path would depend on where the daemon was started.
  if (!isAbsolute(path)) throw wrongSetup(`${what} must be an absolute path`);
  try {
    return useFile(path, (descriptor, stat) => {
      if (!stat.isFile() || stat.size > largestFile)
        throw wrongSetup(`${path} (${what}) is not a file of at most 64 KiB`);
      return readFileSync(descriptor, 'utf8');
    });
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw wrongSetup(`${path} (${what}) cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

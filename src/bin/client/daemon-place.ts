/** Which daemon a command uses: that of a state directory, or one that the environment names. */
import { wrongSetup } from '../exit-codes.ts';
import { type Surroundings, stateDirectoryPath } from '../state/state-directory.ts';

/**
 * `socket`: path of a Unix socket. The daemon may trust its owner, so a token is optional then. `proofMs`: time limit
 * of the proof that it is contextd. Default: 5 seconds.
 */
export type NamedDaemon = { url: string; socket?: string; token?: string; proofMs?: number };

/** The state directory, or what `CONTEXTD_URL` and `CONTEXTD_TOKEN` name. */
export type DaemonPlace = string | NamedDaemon;

/** The flag wins over `CONTEXTD_URL`, which wins over `CONTEXTD_STATE_DIR`. Throws `CommandFailure` 64 and 78. */
export function daemonPlace(stateDir: string | undefined, surroundings: Surroundings): DaemonPlace {
  const { CONTEXTD_URL: address, CONTEXTD_TOKEN } = surroundings.environment;
  if (stateDir !== undefined || address === undefined || address === '')
    return stateDirectoryPath(stateDir, surroundings);
  const token = CONTEXTD_TOKEN === '' ? undefined : CONTEXTD_TOKEN;
  if (token !== undefined && !/^[\x21-\x7e]+$/u.test(token))
    throw wrongSetup('CONTEXTD_TOKEN is not a token: it has characters that are not printable.');
  if (address.startsWith('unix:/')) return { url: 'http://localhost', socket: address.slice('unix:'.length), token };
  const url = URL.parse(address);
  if (url?.protocol !== 'http:' || address.replace(/\/$/u, '') !== url.origin)
    throw wrongSetup(`CONTEXTD_URL must be "http://<host>:<port>" or "unix:<absolute path>", not "${address}".`);
  if (token === undefined) throw wrongSetup('CONTEXTD_URL is set, so CONTEXTD_TOKEN must hold the token.');
  return { url: url.origin, token };
}

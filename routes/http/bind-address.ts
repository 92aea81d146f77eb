/** Which address the daemon may listen on (S-13). */
import { isIP } from 'node:net';

/** Values of `--host`, `--dangerously-bind` and `--allowed-host`. */
type BindOptions = { host?: string; dangerouslyBind?: string; allowedHosts?: readonly string[] };

/** `risk` is what the user must be told before the daemon listens beyond loopback. */
type BindDecision = { host: string; risk?: string } | { problem: string };

const loopbackAddresses = new Set(['127.0.0.1', '::1']);

/**
 * Only the literal addresses `127.0.0.1` (the default) and `::1` count as loopback. Names do not, because their
 * addresses are looked up. Any other address must be given as `--dangerously-bind=<ip>`, with at least one
 * `--allowed-host`.
 */
export function decideBindAddress({ host, dangerouslyBind, allowedHosts = [] }: BindOptions): BindDecision {
  const wanted = host ?? dangerouslyBind ?? '127.0.0.1';
  if (loopbackAddresses.has(wanted) && (dangerouslyBind === undefined || dangerouslyBind === wanted))
    return { host: wanted };
  if (dangerouslyBind === undefined)
    return {
      problem: `The daemon listens on 127.0.0.1 or ::1 only, not on "${wanted}". To make it reachable from elsewhere, use --dangerously-bind=<ip> together with --allowed-host=<host:port>.`,
    };
  if (wanted !== dangerouslyBind)
    return { problem: `--host "${wanted}" and --dangerously-bind "${dangerouslyBind}" contradict each other.` };
  if (isIP(dangerouslyBind) === 0)
    return { problem: `--dangerously-bind takes an IP address, which "${dangerouslyBind}" is not.` };
  if (allowedHosts.length === 0)
    return {
      problem:
        '--dangerously-bind needs at least one --allowed-host=<host:port>, the Host values that clients will send.',
    };
  return {
    host: dangerouslyBind,
    risk: `Listening on ${dangerouslyBind}: whoever reaches this address and has the token can read every granted root. The traffic is not encrypted.`,
  };
}

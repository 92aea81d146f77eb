/**
 * Turns refusals of PostgreSQL and its client into a `ContextdError`. Their own texts are not used, because they can
 * contain values.
 */
import { ContextdError } from '../../errors.ts';

/** By SQLSTATE or its class: the code and message for callers. Any other state is a mistake in contextd's statement. */
const refusals: Record<string, ['storage_full' | 'unavailable' | 'invalid_request', string]> = {
  '08': ['unavailable', 'The connection to PostgreSQL was lost.'],
  '22021': ['invalid_request', 'A text with U+0000 or a broken character cannot be stored.'],
  '25006': ['unavailable', 'PostgreSQL is read-only.'],
  '25P03': ['unavailable', 'A write took too long.'],
  '26000': ['unavailable', 'Each transaction gets another connection, because of a connection pooler.'],
  '28': ['unavailable', 'PostgreSQL refuses this user: there is none, or pg_hba.conf does not let it in from here.'],
  '28P01': ['unavailable', 'PostgreSQL refuses this user or its password.'],
  '3D': ['unavailable', 'There is no such database in PostgreSQL.'],
  '40': ['unavailable', 'Too many daemons write the same data at once. Try again.'],
  '42501': ['unavailable', 'The user of PostgreSQL lacks a permission.'],
  '42P05': ['unavailable', 'Each transaction gets another connection, because of a connection pooler.'],
  '53100': ['storage_full', 'The disk of PostgreSQL is full. Free some space and try again.'],
  '53300': ['unavailable', 'PostgreSQL has no connection left.'],
  '53': ['unavailable', 'PostgreSQL lacks memory, disk space or connections.'],
  '54000': ['invalid_request', 'A text is too long for PostgreSQL.'],
  '55P03': ['unavailable', 'Another daemon takes too long to write the same data. Try again.'],
  '57014': ['unavailable', 'PostgreSQL took too long.'],
  '57': ['unavailable', 'PostgreSQL is being stopped or started.'],
  '58': ['unavailable', 'PostgreSQL cannot read or write: its disk reports an error.'],
  XX001: ['unavailable', 'Data that PostgreSQL has stored is damaged.'],
  XX002: ['unavailable', 'Data that PostgreSQL has stored is damaged.'],
};

/**
 * States after which a second try of the transaction may succeed. One of them: a purge deleted a text that the
 * transaction links.
 */
const passing = ['40001', '40P01', '55P03', '23503'];

/** The connection is lost. Whether its statements took effect is unknown. */
export class LostConnection extends ContextdError {}

/** The server, or what it allows this user or database, has no connection left. */
export class NoConnectionLeft extends LostConnection {}

/** No connection is possible before settings are changed, here or at the server. */
export class Unusable extends LostConnection {}

/** The server wants a password, and there is none. */
export class PasswordMissing extends Unusable {}

/** The server accepts no writes: its disk is full, or it is a standby. */
export class NotWritable extends ContextdError {}

/** A pooler gives each transaction another connection, so prepared statements and listening are lost. */
export class Pooled extends ContextdError {}

/** Another try of the same transaction may succeed. */
export class Passing extends ContextdError {}

/** The error for callers, from what a statement threw. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof ContextdError) return error;
  const { code } = error as { code?: unknown };
  if (!isAnswer(error)) return unreached(error, code);
  const state = `${code}`;
  const known = refusals[state] ?? refusals[state.slice(0, 2)];
  if (passing.includes(state)) return new Passing('unavailable', (known ?? refusals['40'])?.[1] ?? '');
  if (known === undefined) return new Error(`PostgreSQL refuses a statement with ${state}`);
  if (state === '25006' || state === '53100') return new NotWritable(...known);
  if (state === '26000' || state === '42P05') return new Pooled(...known);
  if (/^28|^3D/u.test(state)) return new Unusable(...known);
  if (state === '53300') return new NoConnectionLeft(...known);
  // After these errors the server closes the connection.
  const isEnding = /^57P0|^25P03|^08/u.test(state);
  return new (isEnding ? LostConnection : ContextdError)(...known);
}

/** Whether the error comes from the server, not from the client. */
function isAnswer(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof severity === 'string' && typeof code === 'string';
}

/** Codes of Node.js for a certificate that is not trusted. */
const certificateCodes = /CERT|SIGNATURE|ERR_TLS|ERR_SSL/u;

/** The library gives these errors no code. */
const passwordText = 'client password must be';
const plainText = 'does not support SSL';
const plainMessage =
  'PostgreSQL offers no TLS. Set "ssl = on" there, or sslmode=disable here if nobody else is on the network.';

function unreached(error: unknown, code: unknown): LostConnection {
  const text = `${(error as { message?: unknown }).message}`;
  if (text.includes(passwordText)) return new PasswordMissing('unavailable', 'PostgreSQL asks for a password.');
  if (text.includes(plainText)) return new Unusable('unavailable', plainMessage);
  const says = 'PostgreSQL cannot be reached';
  if (typeof code !== 'string') return new LostConnection('unavailable', `${says}.`);
  if (certificateCodes.test(code))
    return new Unusable('unavailable', `${says}: its certificate is not trusted (${code}).`);
  return new LostConnection('unavailable', `${says}${/^E[A-Z_]+$/u.test(code) ? ` (${code})` : ''}.`);
}

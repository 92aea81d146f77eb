/** Limits the lines of the log (S-84). */
import { fixedLimits } from '../../settings.ts';

/** UTF-8 needs at most three bytes for a code unit. */
const surelyShort = Math.floor(fixedLimits.log.lineBytes / 3);
/** Characters that control a terminal or change the direction of text, and that JSON does not escape. */
const steering = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The line with `secrets` masked and control characters escaped. If it is longer than the limit, its texts are cut, and
 * it has `truncated`.
 */
export function boundLogLine(line: string, secrets: readonly string[]): string {
  let masked = line;
  for (const secret of secrets) if (masked.includes(secret)) masked = masked.replaceAll(secret, '[token]');
  const escaped = masked.replace(steering, escapeUnit);
  if (escaped.length <= surelyShort || Buffer.byteLength(escaped) <= fixedLimits.log.lineBytes) return escaped;
  const entry = JSON.parse(escaped) as Record<string, unknown>;
  for (const characters of [1_000, 200, 40]) {
    const shorter = toLine({ ...(cut(entry, characters) as object), truncated: true });
    if (Buffer.byteLength(shorter) <= fixedLimits.log.lineBytes) return shorter;
  }
  const { level, time, pid, msg } = entry;
  return toLine({ level, time, pid, msg: cut(msg, 200), truncated: true });
}

function toLine(entry: object): string {
  return `${JSON.stringify(entry).replace(steering, escapeUnit)}\n`;
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function cut(value: unknown, characters: number): unknown {
  if (typeof value === 'string')
    return value.length <= characters ? value : `${value.slice(0, characters)}…`.toWellFormed();
  if (Array.isArray(value)) return value.slice(0, 20).map((each) => cut(each, characters));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).slice(0, 40);
  return Object.fromEntries(fields.map(([name, field]) => [name.slice(0, 100), cut(field, characters)]));
}

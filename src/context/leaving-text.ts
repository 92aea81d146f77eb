/**
 * Warnings about a text that leaves contextd by any way: characters that hide something (S-65), and possible secrets.
 * Everything that gives content to a caller or a model calls this.
 */

import type { FileSnapshot } from '../access/gate.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import { createPause, inTurns, type Steps } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import { type FoundSecret, findSecrets } from '../texts/find-secrets.ts';
import { maskSecrets } from '../texts/mask.ts';
import { suspiciousUnicodeWarning } from '../texts/suspicious-unicode.ts';
import type { Warning } from '../warnings.ts';

/** Some lines of a file. */
type Part = { content: string; range: { startLine: number; endLine: number } };

const maxTold = fixedLimits.context.secretsTold;

/** Unchanged files are scanned once. */
const lookThrough = onceForEach(
  ({ path, text = '', maskedSecrets }: FileSnapshot) => ({
    suspicious: suspiciousUnicodeWarning(text, path),
    secrets: maskedSecrets ?? findSecrets(text),
  }),
  new WeakMap(),
);

/** Warnings about a delivered file, or a part of it. */
export function leavingWarnings(snapshot: FileSnapshot, part?: Part): Warning[] {
  const { path, maskedSecrets } = snapshot;
  const about = lookThrough(snapshot);
  const isMasked = maskedSecrets !== undefined;
  if (part === undefined) return [...listOf(about.suspicious), ...secretWarnings(about.secrets, { path, isMasked })];
  const { startLine, endLine } = part.range;
  const suspicious = about.suspicious && suspiciousUnicodeWarning(part.content, path);
  const secrets = about.secrets.filter((secret) => secret.line <= endLine && secret.endLine >= startLine);
  return [
    ...(suspicious === undefined ? [] : [{ ...suspicious, line: (suspicious.line ?? 1) + startLine - 1 }]),
    ...secretWarnings(secrets, { path, isMasked }),
  ];
}

/** Warnings about a text that is not a file. `name`: its name for people. With `mask`, `text` is the masked text. */
export function leavingText(
  text: string,
  { name, path, mask = false }: { name?: string; path?: string; mask?: boolean },
): { text: string; warnings: Warning[] } {
  const secrets = findSecrets(text);
  const warnings = [
    ...listOf(suspiciousUnicodeWarning(text, path ?? '')),
    ...secretWarnings(secrets, { path: path ?? '', isMasked: mask }),
  ].map(({ path: place, ...warning }) => ({
    ...warning,
    message: name === undefined ? warning.message : `${name}: ${warning.message}`,
    path: place === '' ? undefined : place,
  }));
  return { text: mask ? maskSecrets(text, secrets) : text, warnings };
}

/**
 * A value from another program, and the warnings about each text in it, keys too. Both are masked. Values that are not
 * JSON stay, and so does base64 where the Model Context Protocol has it. A value can have a million texts, so there are
 * pauses.
 */
export function leavingValue<Value>(
  value: Value,
  { name, mask }: { name: string; mask: boolean },
): Promise<{ value: Value; warnings: Warning[] }> {
  return inTurns(leaving(value, { name, mask }), createPause());
}

function* leaving<Value>(
  value: Value,
  { name, mask }: { name: string; mask: boolean },
): Steps<{ value: Value; warnings: Warning[] }> {
  const warnings: Warning[] = [];
  const encoded = encodedKeys(value);
  function* visit(each: unknown, depth: number): Steps<unknown> {
    if (typeof each === 'string') {
      yield;
      const leaving = leavingText(each, { name, mask });
      if (warnings.length < maxTold) warnings.push(...leaving.warnings);
      return leaving.text;
    }
    if (typeof each !== 'object' || each === null || depth > deepest) return each;
    if (Array.isArray(each)) {
      const items: unknown[] = [];
      for (const inner of each) items.push(yield* visit(inner, depth + 1));
      return items;
    }
    const given: Record<string, unknown> = Object.create(null);
    for (const [index, [key, inner]] of Object.entries(each).entries()) {
      const shown = (yield* visit(key, depth)) as string;
      // Two masked keys may look alike.
      const free = shown in given ? `${shown} ${index}` : shown;
      given[free] = encoded.get(each) === key && isBase64(inner) ? inner : yield* visit(inner, depth + 1);
    }
    return { ...given };
  }
  const left = (yield* visit(value, 0)) as Value;
  return { value: mask ? left : value, warnings };
}

const deepest = 64;

type Item = { type?: unknown; uri?: unknown; resource?: unknown; content?: unknown };

/** Places of base64 in the Model Context Protocol: images, sounds, and resources that are not text. */
function encodedKeys(value: unknown): Map<object, string> {
  const { content, contents, messages } = (value ?? {}) as Record<string, unknown>;
  const inMessages = itemsOf(messages).flatMap((message) => itemsOf(message.content));
  const found = new Map<object, string>();
  for (const item of [...itemsOf(content), ...itemsOf(contents), ...inMessages]) {
    if (item.type === 'image' || item.type === 'audio') found.set(item, 'data');
    else if (item.type === 'resource') for (const resource of itemsOf(item.resource)) found.set(resource, 'blob');
    else if (typeof item.uri === 'string') found.set(item, 'blob');
  }
  return found;
}

function itemsOf(value: unknown): Item[] {
  return [value].flat().filter((each): each is Item => typeof each === 'object' && each !== null);
}

function isBase64(value: unknown): boolean {
  return typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value;
}

function secretWarnings(
  secrets: readonly FoundSecret[],
  { path, isMasked }: { path: string; isMasked: boolean },
): Warning[] {
  const fate = isMasked ? 'It is delivered as ***.' : 'It is delivered. With --mask-secrets the daemon delivers ***.';
  const told = secrets.slice(0, maxTold).map(({ kind, line }): Warning => {
    const message = `This text looks like a secret (${kind}). ${fate}`;
    return { code: 'possible_secret', message, path, line };
  });
  const left = secrets.length - told.length;
  const next = secrets[maxTold];
  if (next !== undefined)
    told.push({
      code: 'possible_secret',
      message: `${left} more texts look like secrets. ${fate}`,
      path,
      line: next.line,
    });
  return told;
}

function listOf(warning: Warning | undefined): Warning[] {
  return warning === undefined ? [] : [warning];
}

/**
 * What a conversation was given. One file each, to which lines are added and nothing else, so that of several hooks at once
 * each item is given by the one whose line comes first.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fixedLimits } from '../../settings.ts';

// An import would load web cryptography too, and a tool waits for this.
const { hash, randomBytes } = process.getBuiltinModule('node:crypto');

/** `key` says which item it is, `digest` what it says. */
type GivenItem = Readonly<{ key: string; digest: string }>;

export type GivenContext = Readonly<{
  /** Those that were not given as they are now. Nothing is written. */
  notGiven<Item extends GivenItem>(items: readonly Item[]): Item[];
  /** Those of `items` that are for the caller to give, since nobody gave them before. */
  claim<Item extends GivenItem>(items: readonly Item[]): Item[];
  forget(): void;
}>;

const { conversations, conversationBytes, keptMs } = fixedLimits.hooks;

/** Of one conversation of a tool; without one nothing is remembered. `directory` is made where it is missing. */
export function createGivenContext(directory: string, conversation: string | undefined): GivenContext {
  if (conversation === undefined) return { notGiven: (items) => [...items], claim: (items) => [...items], forget() {} };
  const path = join(directory, `${hashOf(conversation)}.given`);

  const notGiven = <Item extends GivenItem>(items: readonly Item[]): Item[] => {
    const last = new Map(readLines(path).map(({ key, digest }) => [key, digest]));
    return items.filter(({ key, digest }) => last.get(hashOf(key)) !== hashOf(digest));
  };
  return {
    notGiven,
    claim(items) {
      const claimed = notGiven(items);
      if (claimed.length === 0) return [];
      const mark = randomBytes(8).toString('hex');
      const isNew = !isThere(path);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      if (isNew) removeOld(directory);
      else if (statSync(path).size > conversationBytes) rmSync(path, { force: true });
      const lines = claimed.map(({ key, digest }) => `${hashOf(key)} ${hashOf(digest)} ${mark}\n`);
      // One write, so that lines of others come before or behind it; after a line that somebody did not end.
      appendFileSync(path, `\n${lines.join('')}`, { mode: 0o600 });
      const before = new Map<string, string>();
      const mine = new Set<string>();
      for (const line of readLines(path)) {
        if (line.mark === mark && before.get(line.key) !== line.digest) mine.add(line.key);
        before.set(line.key, line.digest);
      }
      return claimed.filter(({ key }) => mine.has(hashOf(key)));
    },
    forget: () => rmSync(path, { force: true }),
  };
}

type Line = { key: string; digest: string; mark: string };

/** What is no line of ours counts for nothing. */
function readLines(path: string): Line[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const [key, digest, mark] = line.split(' ');
    return key && digest && mark ? [{ key, digest, mark }] : [];
  });
}

/** Conversations that are long over, and the oldest where there are too many. */
function removeOld(directory: string): void {
  const files = readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    return name.endsWith('.given') && stat ? [{ path, changedMs: stat.mtimeMs }] : [];
  });
  const newestFirst = files.toSorted((a, b) => b.changedMs - a.changedMs);
  for (const [at, { path, changedMs }] of newestFirst.entries())
    if (at >= conversations - 1 || Date.now() - changedMs > keptMs) rmSync(path, { force: true });
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function hashOf(text: string): string {
  return hash('sha256', text).slice(0, 32);
}

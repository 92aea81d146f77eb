/**
 * The record of what a conversation was given: one file, to which lines are only appended. If several hooks run at
 * once, the one whose line for an item comes first gives that item.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fixedLimits } from '../../settings.ts';

// Faster than an import, which would also load web cryptography. A tool waits for this.
const { hash, randomBytes } = process.getBuiltinModule('node:crypto');

/** `key` identifies the item, `digest` its content. */
type GivenItem = Readonly<{ key: string; digest: string }>;

export type GivenContext = Readonly<{
  /** The items that were not given with their present content. Writes nothing. */
  notGiven<Item extends GivenItem>(items: readonly Item[]): Item[];
  /** Records the items, and returns those that the caller has to give: nobody gave them before. */
  claim<Item extends GivenItem>(items: readonly Item[]): Item[];
  forget(): void;
}>;

const { conversations, conversationBytes, keptMs } = fixedLimits.hooks;

/** Without a `conversation` nothing is recorded. Creates `directory` if needed. */
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
      // One write, so that lines of other hooks do not mix with it. It first ends a line that may be incomplete.
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

/** Skips invalid lines. */
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

/** Removes old conversations, and the oldest if there are too many. */
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

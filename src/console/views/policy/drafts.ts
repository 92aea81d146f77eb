/** Texts of policies that are typed and not saved: they outlive a reload of the tab. */
import { signal } from '@preact/signals';

export type Draft = {
  text: string;
  /** Version of the file that the text is meant to replace; absent where there was none. */
  etag?: string | undefined;
};

const storageKey = 'contextd-policy-drafts';

function stored(): Map<string, Draft> {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
    return new Map(value as [string, Draft][]);
  } catch {
    return new Map();
  }
}

const drafts = signal<ReadonlyMap<string, Draft>>(stored());

const keyOf = (mountedDirectory: string, path: string) => `${mountedDirectory}\n${path}`;

/** What is typed for the file at `path`, if it is not what was saved. */
export function draftOf(mountedDirectory: string, path: string): Draft | undefined {
  return drafts.value.get(keyOf(mountedDirectory, path));
}

/** Paths of all files of a mounted directory with something typed. */
export function draftedPaths(mountedDirectory: string): string[] {
  const start = keyOf(mountedDirectory, '');
  return [...drafts.value.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
}

/** Without a draft what is typed is forgotten. */
export function keepDraft(mountedDirectory: string, path: string, draft: Draft | undefined): void {
  const next = new Map(drafts.peek());
  if (draft === undefined) next.delete(keyOf(mountedDirectory, path));
  else next.set(keyOf(mountedDirectory, path), draft);
  drafts.value = next;
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([...next]));
  } catch {
    // The tab's storage is full: the text is still on the page.
  }
}

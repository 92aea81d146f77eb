/** Typed texts of policies that are not saved. They survive a reload of the tab. */
import { signal } from '@preact/signals';

export type Draft = {
  text: string;
  /** The version of the file that the text will replace. Absent if there was no file. */
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

/** The typed text for the file at `path`, if it differs from what was saved. */
export function draftOf(mountedDirectory: string, path: string): Draft | undefined {
  return drafts.value.get(keyOf(mountedDirectory, path));
}

/** The paths of all files of a mounted directory with a draft. */
export function draftedPaths(mountedDirectory: string): string[] {
  const start = keyOf(mountedDirectory, '');
  return [...drafts.value.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
}

/** Stores a draft. Without one, removes the stored one. */
export function keepDraft(mountedDirectory: string, path: string, draft: Draft | undefined): void {
  const next = new Map(drafts.peek());
  if (draft === undefined) next.delete(keyOf(mountedDirectory, path));
  else next.set(keyOf(mountedDirectory, path), draft);
  drafts.value = next;
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([...next]));
  } catch {
    // The storage of the tab is full. The text is still on the page.
  }
}

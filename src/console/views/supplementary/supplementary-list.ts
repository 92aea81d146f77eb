/** The list of a mounted directory as the page shows it, and all functions that change it. */
import { useRef, useState } from 'preact/hooks';
import type {
  SupplementaryItem,
  SupplementaryKind,
  SupplementaryList,
} from '../../../supplementary/supplementary-item.ts';
import { visibleText } from '../../../texts/visible-text.ts';
import type { ReceivedEvent } from '../../api/events.ts';
import { usePolling } from '../../api/polling.ts';
import { asProblem, request } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { countOf } from '../../elements/text.tsx';
import { attempt, notify } from '../../elements/toasts.tsx';

export type SupplementaryEntry = { kind: SupplementaryKind; path: string };

export type Supplementary = Pick<Resource<SupplementaryList>, 'value' | 'problem' | 'isStale' | 'reload'> & {
  add(entry: SupplementaryEntry): Promise<void>;
  /** Moves the item one place up or down. */
  move(id: string, by: 1 | -1): Promise<void>;
  remove(item: SupplementaryItem): Promise<void>;
  clear(): Promise<void>;
};

const address = '/v1/supplementary';
/** No event reports that a file of the list is written, moved or removed. */
const lookAgainMs = 4_000;

export const supplementaryEvents = ['supplementary-changed', 'policy-changed', 'context-changed'] as const;

/** Whether an event may change the list or the state of its items. */
export function concernsDirectory(event: ReceivedEvent, mountedDirectory: string): boolean {
  // The daemon names the directory without `~/`, so the names cannot be compared.
  if (mountedDirectory.startsWith('~')) return true;
  if (event.type === 'supplementary-changed') return event.data.mountedDirectory === mountedDirectory;
  if (event.type !== 'policy-changed' && event.type !== 'context-changed') return true;
  return event.data.mountedDirectories.includes(mountedDirectory);
}

const ask = (mountedDirectory: string, signal?: AbortSignal) =>
  request<SupplementaryList>(address, { query: { mountedDirectory }, signal });

const put = (mountedDirectory: string, items: readonly SupplementaryEntry[], etag: string) =>
  request<SupplementaryList>(address, {
    method: 'PUT',
    body: { mountedDirectory, items: items.map(({ kind, path }) => ({ kind, path })) },
    headers: { 'if-match': `"${etag}"` },
  });

export function useSupplementary(mountedDirectory: string): Supplementary {
  const resource = useResource(mountedDirectory, (signal) => ask(mountedDirectory, signal), {
    events: supplementaryEvents,
    concerns: (event) => concernsDirectory(event, mountedDirectory),
  });
  const { value, problem, isStale, asked, reload, refresh } = resource;
  usePolling(refresh, lookAgainMs);

  // The answer to a change is newer than the answer to any request sent before it, even if that one arrives later.
  const [changed, setChanged] = useState<{ list: SupplementaryList; asked: number }>();
  const list = changed !== undefined && resource.answered <= changed.asked ? changed.list : value;
  const latest = useRef(list);
  latest.current = list;
  const queue = useRef<Promise<unknown>>(Promise.resolve());

  /** Runs the changes one after another. Each starts from the result of the one before. */
  const change = (work: (list: SupplementaryList) => Promise<SupplementaryList | undefined>): Promise<void> => {
    const run = async () => {
      const before = latest.current;
      if (before === undefined) return;
      await attempt(async () => {
        try {
          const list = await work(before);
          if (list === undefined) return;
          latest.current = list;
          setChanged({ list, asked: asked.current });
        } catch (error) {
          if (asProblem(error).code !== 'version_mismatch') throw error;
          notify('The list was changed elsewhere. Nothing was moved; this is the current list.');
        }
      });
      reload();
    };
    const done = queue.current.then(run);
    queue.current = done;
    return done;
  };

  return {
    value: isStale ? undefined : list,
    isStale,
    reload,
    // The page already says that the daemon is unreachable. The list stays visible.
    problem: problem?.code === 'unreachable' && list !== undefined ? undefined : problem,
    add: (entry) =>
      change(async () => {
        await request(address, { body: { mountedDirectory, ...entry } });
        return ask(mountedDirectory);
      }),
    move: (id, by) =>
      change(async ({ items, etag }) => {
        const at = items.findIndex((item) => item.id === id);
        const other = items[at + by];
        if (at < 0 || other === undefined) return undefined;
        const moved = items.with(at + by, items[at] as SupplementaryItem).with(at, other);
        return put(mountedDirectory, moved, etag);
      }),
    remove: (item) =>
      change(async ({ items }) => {
        const at = items.findIndex(({ id }) => id === item.id);
        await request(`${address}/${item.id}`, { method: 'DELETE' });
        notify(
          `Removed ${visibleText(item.relativePath)}`,
          canBePutBack(item) ? () => putBack(mountedDirectory, [item], at) : undefined,
        );
        return ask(mountedDirectory);
      }),
    clear: () =>
      change(async ({ items }) => {
        await request(address, { method: 'DELETE', query: { mountedDirectory } });
        const undo = items.every(canBePutBack) ? () => putBack(mountedDirectory, items, 0) : undefined;
        notify(`Removed ${countOf(items.length, 'item')}`, undo);
        return ask(mountedDirectory);
      }),
  };
}

/** An item outside all granted roots cannot be added again, so its removal cannot be undone. */
export function canBePutBack({ disabledReasons }: SupplementaryItem): boolean {
  return disabledReasons.every(({ code }) => code !== 'outside_roots');
}

/** Inserts the entries at their old place. Changes by others in the meantime stay. */
async function putBack(mountedDirectory: string, entries: readonly SupplementaryEntry[], at: number): Promise<void> {
  for (let attempts = 0; ; attempts += 1) {
    const { items, etag } = await ask(mountedDirectory);
    const missing = entries.filter(
      (entry) => !items.some(({ kind, path }) => kind === entry.kind && path === entry.path),
    );
    if (missing.length === 0) return;
    try {
      await put(mountedDirectory, [...items.slice(0, at), ...missing, ...items.slice(at)], etag);
      return;
    } catch (error) {
      if (asProblem(error).code !== 'version_mismatch' || attempts === 3) throw error;
    }
  }
}

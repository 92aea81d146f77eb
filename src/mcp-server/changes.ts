/** Tells MCP clients which context files changed, and when the lists of resources and prompts changed. */
import type { ContextChanged } from '../events/event.ts';
import { fixedLimits } from '../settings.ts';
import { listFiles, type MountedFiles, promptsOf, resourcesOf, uriOfPath } from './files.ts';
import type { ChangeEvent, ContextVerbs } from './verbs.ts';
import type { Workplace } from './workplace.ts';

/** The same as `ServerEvent` of the MCP SDK. The SDK is not loaded here. */
export type FileChange =
  | { kind: 'resources_list_changed' }
  | { kind: 'prompts_list_changed' }
  | { kind: 'tools_list_changed' }
  | { kind: 'resource_updated'; uri: string };

export type ContextChanges = Readonly<{
  /** Watches these places while there is a listener. Never rejects. */
  watch(workplaces: readonly Workplace[]): Promise<void>;
  /** Returns a function that ends the subscription. */
  subscribe(listener: (change: FileChange) => void): () => void;
  publish(change: FileChange): void;
}>;

type Lists = { hashes: ReadonlyMap<string, string>; resources: string; prompts: string };
/** `mount`: the mounted directory, as events name it. */
type Seen = { workplace: Workplace; mount: string; lists: Lists };

const nothing: Lists = { hashes: new Map(), resources: '[]', prompts: '[]' };

/** `onError` gets each error that keeps changes from being reported. */
export function createContextChanges(verbs: ContextVerbs, onError: (error: unknown) => void): ContextChanges {
  const listeners = new Set<(change: FileChange) => void>();
  /** By place, in the order in which they were first watched. */
  const seen = new Map<string, Seen>();
  let subscription: { close(): void } | undefined;
  let work = Promise.resolve();

  const publish = (change: FileChange): void => {
    for (const listener of [...listeners]) listener(change);
  };

  /** Runs tasks one after the other, so that each compares with the last report. */
  const enqueue = (task: () => Promise<void>): Promise<void> => {
    work = work.then(task).catch(onError);
    return work;
  };

  const look = async (workplace: Workplace): Promise<Seen> => {
    const [mounted] = await listFiles(verbs, [workplace]);
    const mount = mounted?.mountedDirectory ?? workplace.mountedDirectory;
    return { workplace, mount, lists: mounted ? remember(mounted) : nothing };
  };

  const refresh = async ({ workplace, lists: before }: Seen, changed: Set<string>): Promise<FileChange[]> => {
    const key = keyOf(workplace);
    const latest = await look(workplace);
    if (seen.has(key)) seen.set(key, latest);
    const { lists: now } = latest;
    for (const [uri, hash] of before.hashes) if (now.hashes.get(uri) !== hash) changed.add(uri);
    return [
      ...(before.resources === now.resources ? [] : [{ kind: 'resources_list_changed' } as const]),
      ...(before.prompts === now.prompts ? [] : [{ kind: 'prompts_list_changed' } as const]),
    ];
  };

  const handle = async ({ type, data }: ChangeEvent): Promise<void> => {
    const { mountedDirectories, changes = [] } = type === 'resync' ? {} : (data as Partial<ContextChanged>);
    const places = [...seen.values()].filter(({ mount }) => mountedDirectories?.includes(mount) ?? true);
    const changed = new Set(type === 'context-changed' ? changes.map(({ path }) => uriOfPath(path)) : []);
    const lists = new Map<string, FileChange>();
    for (const place of places) for (const change of await refresh(place, changed)) lists.set(change.kind, change);
    for (const uri of changed) publish({ kind: 'resource_updated', uri });
    for (const change of lists.values()) publish(change);
  };

  return Object.freeze({
    watch: (workplaces) =>
      enqueue(async () => {
        for (const workplace of workplaces.filter((each) => !seen.has(keyOf(each))))
          seen.set(keyOf(workplace), await look(workplace));
        for (const oldest of seen.keys()) {
          if (seen.size <= fixedLimits.mcpEndpoint.watchedMounts) break;
          seen.delete(oldest);
        }
      }),
    subscribe(listener) {
      // A separate entry for each call, even with the same function.
      const own = (change: FileChange): void => listener(change);
      listeners.add(own);
      if (subscription === undefined) {
        subscription = verbs.subscribe((event) => void enqueue(() => handle(event)));
        // Nobody listened until now, and earlier changes must not be reported. So all places are looked at again.
        void enqueue(async () => {
          for (const { workplace } of [...seen.values()]) seen.set(keyOf(workplace), await look(workplace));
        });
      }
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return;
        subscription?.close();
        subscription = undefined;
      };
    },
    publish,
  } satisfies ContextChanges);
}

function keyOf({ mountedDirectory, workingDirectory }: Workplace): string {
  return JSON.stringify([mountedDirectory, workingDirectory]);
}

function remember(mounted: MountedFiles): Lists {
  return {
    hashes: new Map(mounted.files.map(({ path, sha256 }) => [uriOfPath(path), sha256])),
    // An edit changes the size of a file. This does not count as a change of the list.
    resources: JSON.stringify(resourcesOf([mounted]).map(({ size: _size, ...resource }) => resource)),
    prompts: JSON.stringify(promptsOf([mounted])),
  };
}

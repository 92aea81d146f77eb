/** Tells MCP clients which context files changed, and when the lists of resources and prompts are others than before. */
import type { ContextChanged } from '../events/event.ts';
import { fixedLimits } from '../settings.ts';
import { listFiles, type MountedFiles, promptsOf, resourcesOf, uriOfPath } from './files.ts';
import type { ChangeEvent, ContextVerbs } from './verbs.ts';

/** As `ServerEvent` of the MCP SDK, which is not loaded here. */
type FileChange =
  | { kind: 'resources_list_changed' }
  | { kind: 'prompts_list_changed' }
  | { kind: 'tools_list_changed' }
  | { kind: 'resource_updated'; uri: string };

export type ContextChanges = Readonly<{
  /** Follows these directories while anybody listens. Never rejects. */
  watch(mounts: readonly string[]): Promise<void>;
  /** Returns what ends it. */
  subscribe(listener: (change: FileChange) => void): () => void;
  publish(change: FileChange): void;
  readonly listeners: number;
}>;

type Seen = { hashes: ReadonlyMap<string, string>; resources: string; prompts: string };

const nothing: Seen = { hashes: new Map(), resources: '[]', prompts: '[]' };

/** `onError` is told of what keeps changes from being told. */
export function createContextChanges(verbs: ContextVerbs, onError: (error: unknown) => void): ContextChanges {
  const listeners = new Set<(change: FileChange) => void>();
  /** By mounted directory, the one asked for longest ago first. */
  const seen = new Map<string, Seen>();
  let subscription: { close(): void } | undefined;
  let work = Promise.resolve();

  const publish = (change: FileChange): void => {
    for (const listener of [...listeners]) listener(change);
  };

  /** One after the other, so that each compares with what was last told. */
  const enqueue = (task: () => Promise<void>): Promise<void> => {
    work = work.then(task).catch(onError);
    return work;
  };

  const look = async (mountedDirectory: string): Promise<{ place: string; now: Seen }> => {
    const [mounted] = await listFiles(verbs, [mountedDirectory]);
    return { place: mounted?.mountedDirectory ?? mountedDirectory, now: mounted ? remember(mounted) : nothing };
  };

  const refresh = async (mountedDirectory: string, changed: Set<string>): Promise<FileChange[]> => {
    const before = seen.get(mountedDirectory) ?? nothing;
    const { now } = await look(mountedDirectory);
    if (seen.has(mountedDirectory)) seen.set(mountedDirectory, now);
    for (const [uri, hash] of before.hashes) if (now.hashes.get(uri) !== hash) changed.add(uri);
    return [
      ...(before.resources === now.resources ? [] : [{ kind: 'resources_list_changed' } as const]),
      ...(before.prompts === now.prompts ? [] : [{ kind: 'prompts_list_changed' } as const]),
    ];
  };

  const handle = async ({ type, data }: ChangeEvent): Promise<void> => {
    const { mountedDirectories, changes = [] } = type === 'resync' ? {} : (data as Partial<ContextChanged>);
    const mounts = [...seen.keys()].filter((mount) => mountedDirectories?.includes(mount) ?? true);
    const changed = new Set(type === 'context-changed' ? changes.map(({ path }) => uriOfPath(path)) : []);
    const lists = new Map<string, FileChange>();
    for (const mount of mounts) for (const change of await refresh(mount, changed)) lists.set(change.kind, change);
    for (const uri of changed) publish({ kind: 'resource_updated', uri });
    for (const change of lists.values()) publish(change);
  };

  return Object.freeze({
    watch: (mounts) =>
      enqueue(async () => {
        for (const mount of mounts.filter((each) => !seen.has(each))) {
          const { place, now } = await look(mount);
          seen.set(place, now);
        }
        for (const oldest of seen.keys()) {
          if (seen.size <= fixedLimits.mcpEndpoint.watchedMounts) break;
          seen.delete(oldest);
        }
      }),
    subscribe(listener) {
      // Each its own, even where the same function is given twice.
      const own = (change: FileChange): void => listener(change);
      listeners.add(own);
      if (subscription === undefined) {
        subscription = verbs.subscribe((event) => void enqueue(() => handle(event)));
        // What was asked about long ago is not watched any more; what changed meanwhile nobody waits for.
        void enqueue(async () => {
          for (const mount of [...seen.keys()]) seen.set(mount, (await look(mount)).now);
        });
      }
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return;
        subscription?.close();
        subscription = undefined;
      };
    },
    publish,
    get listeners() {
      return listeners.size;
    },
  } satisfies ContextChanges);
}

function remember(mounted: MountedFiles): Seen {
  return {
    hashes: new Map(mounted.files.map(({ path, sha256 }) => [uriOfPath(path), sha256])),
    // The size changes with each edit, which is no change of the list.
    resources: JSON.stringify(resourcesOf([mounted]).map(({ size: _size, ...resource }) => resource)),
    prompts: JSON.stringify(promptsOf([mounted])),
  };
}

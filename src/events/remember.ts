/** Says what the answers to requests depend on, so that events report its changes. */
import type { LoadedContext } from '../context/load-context.ts';
import { type NormalizedRequest, normalizeRequest } from '../context/normalize-request.ts';
import type { EngineSettings } from '../settings.ts';
import type { Watching } from './watching.ts';

/** `askedAtMs`: when the request began. */
export type Remember = Readonly<{
  /** The directories of a resolved request. */
  resolved(request: NormalizedRequest, loaded: LoadedContext, askedAtMs: number): void;
  /** Directories whose entries were read. */
  looked(mountedDirectory: string, directories: readonly string[], askedAtMs: number): void;
  /** Directories of files that were delivered, for the policies that decide about them. */
  delivered(mountedDirectory: string, directories: readonly string[], askedAtMs: number): void;
}>;

export function createRemember(
  watching: Pick<Watching, 'remember'>,
  defaults: { homeDirectory: string; settings: EngineSettings },
): Remember {
  const place = (mountedDirectory: string) => normalizeRequest({ mountedDirectory }, defaults);
  return {
    resolved(request, { chains }, askedAtMs) {
      const workingDirectories = chains.map(({ workingDirectory: path, searched: sources }) => ({ path, sources }));
      // Each choice of scopes finds other directories.
      const kind = [...request.scopes].sort().join();
      watching.remember({ ...request, workingDirectories, kind }, askedAtMs);
    },
    looked(mountedDirectory, directories, askedAtMs) {
      const workingDirectories = directories.map((path) => ({ path }));
      watching.remember({ ...place(mountedDirectory), workingDirectories }, askedAtMs);
    },
    delivered(mountedDirectory, directories, askedAtMs) {
      const sources = directories.map((directory) => ({ directory, key: 'delivered', decides: never }));
      const workingDirectories = [{ path: mountedDirectory, sources }];
      watching.remember({ ...place(mountedDirectory), workingDirectories, kind: 'retrieve' }, askedAtMs);
    },
  };
}

const never = (): boolean => false;

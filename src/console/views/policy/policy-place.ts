/** The place and name of a policy file in a mounted directory. */
import { signal } from '@preact/signals';
import { baseName, parentPath } from '../../../access/paths.ts';
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import { compareText } from '../../../texts/compare-text.ts';
import { relativeTo } from '../../paths.ts';
import { setParams } from '../../route.ts';

export type PolicyPlace = {
  mountedDirectory: string;
  /** Absolute path of the policy file. */
  path: string;
};

/** The name of a new policy. */
export const policyFileName = '.ai-context-policy.yaml' satisfies PolicyFileName;
type PolicyFileName = '.ai-context-policy.yaml' | '.ai-context-policy.yml';

export function nameOf(path: string): PolicyFileName {
  return baseName(path) as PolicyFileName;
}

export function joinTo(directory: string, path: string): string {
  if (path === '.' || path === '') return directory;
  return path.startsWith('/') ? path : `${directory === '/' ? '' : directory}/${path.replace(/^\.\//u, '')}`;
}

/** The line to go to next. Each request has its own `turn`. */
export const wantedLine = signal<{ path: string; line: number; turn: number } | undefined>(undefined);

/** Shows a policy, at a line if there is one. */
export function showPolicy({ mountedDirectory, path }: PolicyPlace, line?: number): void {
  setParams({ path: relativeTo(mountedDirectory, path) }, 'push');
  if (line !== undefined) wantedLine.value = { path, line, turn: (wantedLine.peek()?.turn ?? 0) + 1 };
}

/** The policies as a tree: each one below the nearest one above it, which it overrides in its directory. */
export function nesting(
  policies: readonly PolicyDocument[],
): { document: PolicyDocument; above?: string; depth: number }[] {
  const directories = new Set(policies.map(({ directory }) => directory));
  const aboveOf = (directory: string): string | undefined => {
    for (let at = directory; at !== '/'; ) {
      at = parentPath(at);
      if (directories.has(at)) return at;
    }
    return undefined;
  };
  const depthOf = (directory: string): number => {
    const above = aboveOf(directory);
    return above === undefined ? 0 : depthOf(above) + 1;
  };
  return [...policies]
    .sort((a, b) => compareTree(a.directory, b.directory) || compareText(a.path, b.path))
    .map((document) => {
      const above = aboveOf(document.directory);
      return { document, depth: depthOf(document.directory), above };
    });
}

/** Sorts the content of a directory directly after the directory. */
function compareTree(a: string, b: string): number {
  return compareText(`${a}/`.replaceAll('/', '\0'), `${b}/`.replaceAll('/', '\0'));
}

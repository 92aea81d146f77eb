/**
 * The parameters of the address that describe a resolution: `dir`, `wd`, `file`*, `mention`*, `query`, `scopes`,
 * `budget`.
 */
import type { Scope } from '../../../context/item-values.ts';
import type { ResolveRequest } from '../../../context/resolve-request.ts';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import type { ReceivedEvent } from '../../api/events.ts';
import { budgetOf } from '../../budget-field.tsx';
import { chosenIn } from '../../subset.ts';

export const scopes = ['global', 'static', 'dynamic'] as const satisfies readonly Scope[];
/** The scopes to search. */
export const scopeChoice = { param: 'scopes', all: scopes };

/** `place` says where a file of this scope lies, `range` which directories are searched for the scope. */
export const scopeWords: Record<Scope, { title: string; place: string; range: string }> = {
  global: { title: 'Global', place: 'yours, in every project', range: 'Your own context directory' },
  static: { title: 'Static', place: 'of the mounted directory', range: 'The mounted directory alone' },
  dynamic: {
    title: 'Dynamic',
    place: 'of directories below it',
    range: 'Every directory from the mounted one down to the working directory',
  },
};

/** `undefined` while no mounted directory is chosen. The request omits what the address omits. */
export function requestOf(params: URLSearchParams): ResolveRequest | undefined {
  const mountedDirectory = params.get('dir');
  if (mountedDirectory === null) return undefined;
  const workingDirectory = params.get('wd');
  const files = params.getAll('file');
  const mentions = params.getAll('mention');
  const query = params.get('query');
  const wanted = chosenIn(params, scopeChoice);
  return {
    mountedDirectory,
    ...(workingDirectory === null ? {} : { workingDirectory }),
    ...(files.length === 0 ? {} : { files }),
    ...(mentions.length === 0 ? {} : { mentions }),
    ...(query === null ? {} : { query }),
    ...(wanted.length === scopes.length ? {} : { scopes: [...wanted] }),
    ...budgetOf(params),
  };
}

export const resolutionEvents = ['context-changed', 'policy-changed', 'embedder-changed'] as const;

/** Whether an event may change the resolution. */
export function concernsResolution(
  event: ReceivedEvent,
  request: ResolveRequest | undefined,
  result: ResolveResult | undefined,
): boolean {
  if (event.type === 'embedder-changed') return request?.query !== undefined && event.data.state === 'ready';
  if (event.type !== 'context-changed' && event.type !== 'policy-changed') return false;
  // The answer contains the directory as the daemon names it, without `~/`.
  return event.data.mountedDirectories.includes(result?.mountedDirectory ?? request?.mountedDirectory ?? '');
}

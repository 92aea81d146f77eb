import type { FormatsResult } from '../../../context/formats-request.ts';
import type { ResolveRequest } from '../../../context/resolve-request.ts';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import { request } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { concernsResolution, resolutionEvents } from './workspace-request.ts';

/** The format that the address asks to switch. */
export type FormatSwitch = { with: string } | { without: string };

export function switchOf(params: URLSearchParams): FormatSwitch | undefined {
  const [added, left] = [params.get('with'), params.get('without')];
  if (added !== null) return { with: added };
  return left === null ? undefined : { without: left };
}

/**
 * The formats that have files in the requested place. With a `change`, also its effect. `undefined` sends no request.
 */
export function useFormats(
  asked: ResolveRequest | undefined,
  result: ResolveResult | undefined,
  change?: FormatSwitch,
): Resource<FormatsResult> {
  const query = asked && {
    mountedDirectory: asked.mountedDirectory,
    workingDirectory: asked.workingDirectory,
    file: asked.files,
    ...change,
  };
  return useResource(
    query && JSON.stringify(query),
    (signal) => request<FormatsResult>('/v1/formats', { query, signal }),
    { events: resolutionEvents, concerns: (event) => concernsResolution(event, asked, result) },
  );
}

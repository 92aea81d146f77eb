import type { FileSearchResult } from '../../../supplementary/supplementary-item.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';

const limit = 30;

/**
 * Files of the workspace whose paths match the typed text, relative to the mounted directory. An empty text sends no
 * request.
 */
export function useFileSuggestions(mountedDirectory: string, typed: string): readonly string[] {
  const query = typed.trim();
  const { value } = useResource(query === '' ? undefined : `${mountedDirectory} ${query}`, (signal) =>
    request<FileSearchResult>('/v1/workspace/files/search', {
      body: { mountedDirectory, query: query.slice(0, 256), limit },
      signal,
    }),
  );
  return query === '' ? [] : (value?.files.map(({ relativePath }) => relativePath) ?? []);
}

/** The directories that contain the files, each once, the nearest first. */
export function directoriesOf(files: readonly string[]): string[] {
  const directories = new Set<string>();
  for (const file of files)
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1))
      directories.add(file.slice(0, end));
  return [...directories];
}

import { useFiles } from '../../api/files.ts';

const limit = 30;

/**
 * Files of the workspace whose paths match the typed text, relative to the mounted directory. An empty text sends no
 * request.
 */
export function useFileSuggestions(mountedDirectory: string, typed: string): readonly string[] {
  const query = typed.trim();
  const { value } = useFiles(query === '' ? undefined : { mountedDirectory, query, limit });
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

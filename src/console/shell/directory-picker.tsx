import { useState } from 'preact/hooks';
import { useRoots } from '../api/roots.ts';
import { SuggestingInput } from '../elements/suggesting-input.tsx';
import { FilePath } from '../elements/text.tsx';
import { recentDirectories, rememberDirectory } from '../recent-directories.ts';
import { mountedDirectory, setParams } from '../route.ts';

const rootNotes = { stored: 'granted', start: 'granted at start' } as const;

/** Chooses the mounted directory of all views: from the granted roots, from recent ones, or typed. */
export function DirectoryPicker() {
  const chosen = mountedDirectory();
  const [typed, setTyped] = useState<string>();
  const roots = useRoots().value?.roots ?? [];
  const text = typed ?? chosen ?? '';
  const known = new Map(recentDirectories.value.map((path) => [path, 'used before']));
  for (const { path, origin } of roots) if (origin !== 'global') known.set(path, rootNotes[origin]);
  const wanted = (typed ?? '').toLowerCase();
  const suggestions = [...known]
    .filter(([path]) => path.toLowerCase().includes(wanted))
    .map(([path, detail]) => ({ value: path, label: <FilePath path={path} />, detail }));
  const choose = (path: string) => {
    setTyped(undefined);
    const directory = path.trim().replace(/(?<=.)\/+$/u, '');
    if (directory !== '') rememberDirectory(directory);
    // The other parameters belong to the last directory.
    if (directory !== chosen)
      setParams(
        { dir: directory, wd: undefined, file: undefined, mention: undefined, path: undefined, explain: undefined },
        'push',
      );
  };
  return (
    <div class="directory-picker">
      <SuggestingInput
        label="Mounted directory"
        placeholder="Absolute path of a project"
        inputClass="mono"
        value={text}
        onInput={setTyped}
        onCommit={choose}
        onLeave={() => setTyped(undefined)}
        suggestions={suggestions}
        note={roots.length === 0 ? 'No root is granted yet: contextd roots grant <directory>' : undefined}
      />
    </div>
  );
}

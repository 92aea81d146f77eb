import { FolderPlus } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { baseName } from '../../../access/paths.ts';
import type { FileSearchResult, FoundFile, SupplementaryItem } from '../../../supplementary/supplementary-item.ts';
import { compareText } from '../../../texts/compare-text.ts';
import { useFiles } from '../../api/files.ts';
import { Icon } from '../../elements/icon.tsx';
import { SuggestingInput, type Suggestion } from '../../elements/suggesting-input.tsx';
import { countOf, Name } from '../../elements/text.tsx';
import { useRested } from '../../rested.ts';
import { wordsOfDisabled } from './item-words.ts';
import { MatchedPath } from './matched-path.tsx';
import type { SupplementaryEntry } from './supplementary-list.ts';

const shownFiles = 24;
const shownFolders = 5;
/** The position of the folders among the files, unless the typed text names a folder. */
const foldersAfter = 4;
const typingMs = 80;

/** Files whose paths match the typed text. While a new answer is awaited, the last one stays and `isFresh` is false. */
export function useFoundFiles(mountedDirectory: string, typed: string) {
  const query = useRested(typed.trim(), typingMs);
  const found = useFiles(query === '' ? undefined : { mountedDirectory, query, limit: 100 });
  return { ...found, isFresh: query === typed.trim() && found.value !== undefined && !found.isStale };
}

type AddFieldProps = {
  mountedDirectory: string;
  items: readonly SupplementaryItem[];
  onAdd: (entry: SupplementaryEntry) => void;
};

/** Finds files and folders by a few letters of their paths, and adds them. It stays open to add more. */
export function AddField({ mountedDirectory, items, onAdd }: AddFieldProps) {
  const [typed, setTyped] = useState('');
  const { value, problem, isFresh } = useFoundFiles(mountedDirectory, typed);
  const query = typed.trim();
  const files = query === '' ? [] : (value?.files ?? []);
  const suggestions = query === '' ? [] : suggestionsFor({ query, files, items, mountedDirectory });
  const first = suggestions.find(({ disabled }) => disabled !== true)?.value;
  // A fast typist presses Enter before the answer arrives. The key then applies to that answer.
  const awaited = useRef<string>(undefined);
  useEffect(() => {
    if (!isFresh || awaited.current === undefined) return;
    const entry = awaited.current === query && first !== undefined ? entryOf(first) : undefined;
    awaited.current = undefined;
    if (entry !== undefined) onAdd(entry);
  });
  const note = problem?.message ?? (query === '' ? undefined : noteOf(value));
  return (
    <div data-main-field class="supplementary-add">
      <SuggestingInput
        label="Add a file or folder"
        placeholder="Letters of a path, such as “usrctrl”, or “src/” for a folder"
        inputClass="mono"
        takesFirst
        staysOpen
        value={typed}
        onInput={setTyped}
        onCommit={(taken) => {
          const entry = entryOf(taken);
          if (!isFresh && (entry === undefined || taken === first)) awaited.current = query;
          else if (entry !== undefined) onAdd(entry);
        }}
        suggestions={suggestions}
        note={note}
      />
    </div>
  );
}

function noteOf(found: FileSearchResult | undefined): string | undefined {
  if (found === undefined) return undefined;
  const { files, warnings } = found;
  const more = files.length - shownFiles;
  if (warnings[0] !== undefined) return warnings[0].message;
  if (files.length === 0)
    return 'No file matches. Files that .gitignore excludes, and sensitive files, are not suggested.';
  return more > 0 ? `${countOf(more, 'more file')}. Type more letters.` : undefined;
}

function entryOf(value: string): SupplementaryEntry | undefined {
  const [, kind, path] = /^(file|folder):(.+)$/su.exec(value) ?? [];
  return kind === undefined || path === undefined ? undefined : { kind: kind as 'file' | 'folder', path };
}

type Finding = {
  query: string;
  files: readonly FoundFile[];
  items: readonly SupplementaryItem[];
  mountedDirectory: string;
};

function suggestionsFor({ query, files, items, mountedDirectory }: Finding): Suggestion[] {
  const listed = new Set(
    items.flatMap(({ kind, path, relativePath }) => [`${kind}:${path}`, `${kind}:${relativePath}`]),
  );
  const added = items.filter(({ kind }) => kind === 'folder').map(({ relativePath }) => `${relativePath}/`);
  const found: Suggestion[] = files.slice(0, shownFiles).map(({ path, relativePath, enabled, disabledReasons }) => {
    const around = added.find((folder) => folder === './' || relativePath.startsWith(folder));
    const isListed = listed.has(`file:${path}`) || listed.has(`tab:${path}`);
    const why = enabled ? undefined : disabledReasons.map((each) => wordsOfDisabled(each, mountedDirectory)).join('; ');
    const detail = isListed ? 'in the list' : (why ?? (around === undefined ? undefined : `in ${around} already`));
    return {
      value: `file:${path}`,
      label: <MatchedPath path={relativePath} query={query} />,
      detail: detail && <Name>{detail}</Name>,
      disabled: isListed || !enabled,
    };
  });
  const wanted = query.replace(/\/+$/u, '').toLowerCase();
  const folders = foldersAround(files, wanted);
  const isFolder = query.endsWith('/') || folders.some((folder) => baseName(folder).toLowerCase() === wanted);
  const asFolders: Suggestion[] = folders.slice(0, shownFolders).map((folder) => {
    const isListed = listed.has(`folder:${folder}`);
    return {
      value: `folder:${folder}`,
      label: (
        <span class="supplementary-folder">
          <Icon icon={FolderPlus} /> <MatchedPath path={`${folder}/`} query={query} />
        </span>
      ),
      detail: isListed ? 'in the list' : 'folder, with all below it',
      disabled: isListed,
    };
  });
  const at = isFolder ? 0 : foldersAfter;
  const all = [...found.slice(0, at), ...asFolders, ...found.slice(at)];
  return [...all, ...asWritten(query, all, listed)];
}

/** Offers the typed path itself if no suggestion has it: the file may be ignored, elsewhere, or not created yet. */
function asWritten(query: string, all: readonly Suggestion[], listed: ReadonlySet<string>): Suggestion[] {
  const path = query.replace(/(?<=.)\/+$/u, '');
  if (all.length > 0 && !/[/.~]/u.test(query)) return [];
  return (['file', 'folder'] as const).flatMap((kind) => {
    const value = `${kind}:${path}`;
    if (all.some((each) => each.value === value || each.value.endsWith(`/${path}`)) || listed.has(value)) return [];
    if (kind === 'file' && query.endsWith('/')) return [];
    return [{ value, label: <MatchedPath path={query} query="" />, detail: `as written, a ${kind}` }];
  });
}

/** Folders of the found files that match the typed text, those with the shortest paths first. */
function foldersAround(files: readonly FoundFile[], wanted: string): string[] {
  const folders = new Set<string>();
  const last = wanted.split(/[\s/]+/u).at(-1) ?? '';
  for (const { relativePath } of files)
    for (let end = relativePath.lastIndexOf('/'); end > 0; end = relativePath.lastIndexOf('/', end - 1)) {
      const folder = relativePath.slice(0, end);
      const lower = folder.toLowerCase();
      if (lower.endsWith(wanted) || (last !== '' && baseName(lower).includes(last))) folders.add(folder);
    }
  return [...folders].sort((a, b) => a.length - b.length || compareText(a, b));
}

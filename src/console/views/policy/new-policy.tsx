import { useState } from 'preact/hooks';
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import type { FileSearchResult } from '../../../supplementary/supplementary-item.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Button } from '../../elements/button.tsx';
import { SuggestingInput } from '../../elements/suggesting-input.tsx';
import { FilePath } from '../../elements/text.tsx';
import { draftOf, keepDraft } from './drafts.ts';
import { directoryOf, joinTo, policyFileName, relativeTo, showPolicy } from './policy-place.ts';

/** What a new policy begins with: it changes nothing until something is added. */
const newText = 'ai_context_policy: allow\nexclude:\n';

type NewPolicyProps = { mountedDirectory: string; policies: readonly PolicyDocument[] };

/** Begins a policy in a directory that has none. */
export function NewPolicy({ mountedDirectory, policies }: NewPolicyProps) {
  const [text, setText] = useState('');
  const [isAsked, setIsAsked] = useState(false);
  const [error, setError] = useState<string>();
  const query = text.trim().replace(/^\.\/?|\/$/gu, '');
  const found = useResource(isAsked ? `directories\n${mountedDirectory}\n${query}` : undefined, (signal) =>
    request<FileSearchResult>('/v1/workspace/files/search', {
      body: { mountedDirectory, query: query.slice(0, 256), limit: 300 },
      signal,
    }),
  ).value;
  const taken = new Set(policies.map(({ directory }) => directory));
  const directories = new Set(taken.has(mountedDirectory) || query !== '' ? [] : [mountedDirectory]);
  for (const { path } of found?.files ?? [])
    for (let at = directoryOf(path); at.length > mountedDirectory.length; at = directoryOf(at))
      if (!taken.has(at) && relativeTo(mountedDirectory, at).toLowerCase().includes(query.toLowerCase()))
        directories.add(at);
  const suggestions = [...directories]
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
    .slice(0, 40)
    .map((directory) => {
      const value = relativeTo(mountedDirectory, directory);
      return { value, label: <FilePath path={value} />, ...(value === '.' ? { detail: 'the mounted directory' } : {}) };
    });
  const begin = (written: string) => {
    const name = written.trim().replace(/(?<=.)\/+$/u, '');
    if (name === '') return setError('Name a directory; “.” is the mounted directory.');
    const directory = joinTo(mountedDirectory, name);
    const there = policies.find((each) => each.directory === directory);
    setText('');
    setError(undefined);
    if (there !== undefined) return showPolicy({ mountedDirectory, path: there.path });
    const path = joinTo(directory, policyFileName);
    if (draftOf(mountedDirectory, path) === undefined) keepDraft(mountedDirectory, path, { text: newText });
    showPolicy({ mountedDirectory, path }, 2);
  };
  return (
    <div class="policy-new" onFocusIn={() => setIsAsked(true)}>
      <SuggestingInput
        label="New policy in"
        placeholder="A directory without one"
        inputClass="mono"
        value={text}
        onInput={(typed) => {
          setText(typed);
          setError(undefined);
        }}
        onCommit={begin}
        suggestions={suggestions}
        {...(error === undefined ? {} : { error })}
      />
      <Button onClick={() => begin(text)}>Begin</Button>
    </div>
  );
}

import { useState } from 'preact/hooks';
import { parentPath } from '../../../access/paths.ts';
import type { PolicyDocument } from '../../../policy/policy-requests.ts';
import { compareText } from '../../../texts/compare-text.ts';
import { useFiles } from '../../api/files.ts';
import { Button } from '../../elements/button.tsx';
import { SuggestingInput } from '../../elements/suggesting-input.tsx';
import { FilePath } from '../../elements/text.tsx';
import { relativeTo } from '../../paths.ts';
import { draftOf, keepDraft } from './drafts.ts';
import { joinTo, policyFileName, showPolicy } from './policy-place.ts';

/** Begins a policy for a directory with the settings of the policy above, or shows the existing one. */
export function beginPolicy(mountedDirectory: string, directory: string, policies: readonly PolicyDocument[]): void {
  const there = policies.find((each) => each.directory === directory);
  if (there !== undefined) {
    showPolicy({ mountedDirectory, path: there.path });
    return;
  }
  const path = joinTo(directory, policyFileName);
  const [above] = policies
    .filter((each) => directory.startsWith(each.directory === '/' ? '/' : `${each.directory}/`))
    .sort((a, b) => b.directory.length - a.directory.length);
  const text = `ai_context_policy: ${above?.aiContextPolicy ?? 'allow'}\nexclude:\n`;
  if (draftOf(mountedDirectory, path) === undefined) keepDraft(mountedDirectory, path, { text });
  showPolicy({ mountedDirectory, path }, 2);
}

type NewPolicyProps = { mountedDirectory: string; policies: readonly PolicyDocument[] };

/** Begins a policy in a directory without one. */
export function NewPolicy({ mountedDirectory, policies }: NewPolicyProps) {
  const [text, setText] = useState('');
  const [isAsked, setIsAsked] = useState(false);
  const [error, setError] = useState<string>();
  const query = text.trim().replace(/^\.\/?|\/$/gu, '');
  const found = useFiles(isAsked ? { mountedDirectory, query, limit: 300 } : undefined).value;
  const taken = new Set(policies.map(({ directory }) => directory));
  const directories = new Set(taken.has(mountedDirectory) || query !== '' ? [] : [mountedDirectory]);
  for (const { path } of found?.files ?? [])
    for (let at = parentPath(path); at.length > mountedDirectory.length; at = parentPath(at))
      if (!taken.has(at) && relativeTo(mountedDirectory, at).toLowerCase().includes(query.toLowerCase()))
        directories.add(at);
  const suggestions = [...directories]
    .sort((a, b) => a.split('/').length - b.split('/').length || compareText(a, b))
    .slice(0, 40)
    .map((directory) => {
      const value = relativeTo(mountedDirectory, directory);
      return { value, label: <FilePath path={value} />, detail: value === '.' ? 'the mounted directory' : undefined };
    });
  const begin = (written: string) => {
    const name = written.trim().replace(/(?<=.)\/+$/u, '');
    if (name === '') return setError('Name a directory; “.” is the mounted directory.');
    setText('');
    setError(undefined);
    beginPolicy(mountedDirectory, joinTo(mountedDirectory, name), policies);
  };
  return (
    <div class="policy-new" onFocusIn={() => setIsAsked(true)}>
      <SuggestingInput
        label="New policy in"
        placeholder="A directory without a policy"
        inputClass="mono"
        value={text}
        onInput={(typed) => {
          setText(typed);
          setError(undefined);
        }}
        onCommit={begin}
        suggestions={suggestions}
        error={error}
      />
      <Button onClick={() => begin(text)}>Begin</Button>
    </div>
  );
}

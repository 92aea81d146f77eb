import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import { longestQuery } from '../../../texts/longest-query.ts';
import type { Problem } from '../../api/request.ts';
import { BudgetField } from '../../budget-field.tsx';
import { useDraft } from '../../draft.ts';
import { Button } from '../../elements/button.tsx';
import { Field } from '../../elements/fields.tsx';
import { SuggestingInput, type Suggestion } from '../../elements/suggesting-input.tsx';
import { FilePath, Name } from '../../elements/text.tsx';
import { relativeTo } from '../../paths.ts';
import { route, setParams } from '../../route.ts';
import { chosenIn, toggleIn } from '../../subset.ts';
import { ChipField } from './chip-field.tsx';
import { directoriesOf, useFileSuggestions } from './file-suggestions.ts';
import { scopeChoice, scopes, scopeWords } from './workspace-request.ts';

type ControlsProps = {
  mountedDirectory: string;
  /** The last answer, used for suggestions. */
  result: ResolveResult | undefined;
  problem: Problem | undefined;
};

const maxSuggestions = 40;

const asPath = (path: string, detail?: ComponentChildren): Suggestion => ({
  value: path,
  label: <FilePath path={path} />,
  detail,
});

/** The request: everything that `resolve` takes, kept in the address. */
export function WorkspaceControls({ mountedDirectory, result, problem }: ControlsProps) {
  const [typedFile, setTypedFile] = useState('');
  const files = useFileSuggestions(mountedDirectory, typedFile);
  const errorAt = (pointer: string) => problem?.errors.find((error) => error.pointer === pointer)?.message;
  return (
    <search class="workspace-controls" aria-label="Request">
      <WorkingDirectory mountedDirectory={mountedDirectory} error={errorAt('/workingDirectory')} />
      <ChipField
        label="Files in play"
        placeholder="Add a file…"
        param="file"
        isMainField
        suggest={(typed) => (typed === '' ? [] : files.map((path) => asPath(path)))}
        onType={setTypedFile}
        note="Type letters of a path. The file need not exist: Enter adds the typed path."
        errorOf={(index) => errorAt(`/files/${index}`)}
        removed="No longer in play:"
      />
      <ChipField
        label="Mentions"
        placeholder="Add a context file…"
        param="mention"
        suggest={(typed) => mentionSuggestions(result, typed)}
        note="Names or paths of the context files that you ask for."
        errorOf={(index) => errorAt(`/mentions/${index}`)}
        hintOf={(index) => warningOf(result, index)}
        removed="No longer mentioned:"
      />
      <QueryField error={errorAt('/query')} />
      <BudgetField />
      <ScopeChoice />
      <ExplainField mountedDirectory={mountedDirectory} result={result} />
    </search>
  );
}

function warningOf(result: ResolveResult | undefined, index: number): string | undefined {
  return result?.warnings.find(({ pointer }) => pointer === `/mentions/${index}`)?.message;
}

/** Suggests names, or the path if several files share the name. */
function mentionSuggestions(result: ResolveResult | undefined, typed: string): Suggestion[] {
  const all = result?.files ?? [];
  const names = new Map<string, number>();
  for (const { name } of all) names.set(name, (names.get(name) ?? 0) + 1);
  const suggestions: Suggestion[] = [];
  for (const { name, relativePath } of all) {
    if (suggestions.length === maxSuggestions) break;
    if (!name.toLowerCase().includes(typed) && !relativePath.toLowerCase().includes(typed)) continue;
    if (names.get(name) === 1)
      suggestions.push({ value: name, label: <Name>{name}</Name>, detail: <FilePath path={relativePath} /> });
    else suggestions.push(asPath(relativePath));
  }
  return suggestions;
}

function WorkingDirectory({ mountedDirectory, error }: { mountedDirectory: string; error: string | undefined }) {
  const [typed, setTyped] = useState<string>();
  const chosen = route.value.params.get('wd') ?? '';
  const files = useFileSuggestions(mountedDirectory, typed ?? '');
  const text = typed ?? chosen;
  return (
    <div
      onFocusOut={() => {
        if (typed !== undefined) setParams({ wd: typed.trim() });
        setTyped(undefined);
      }}
    >
      <SuggestingInput
        label="Working directory"
        placeholder="Directories of the files in play"
        inputClass="mono"
        value={text}
        onInput={setTyped}
        onCommit={(path) => {
          setTyped(undefined);
          setParams({ wd: path.trim() });
        }}
        suggestions={directoriesOf(files)
          .slice(0, maxSuggestions)
          .map((path) => asPath(path))}
        error={error}
      />
    </div>
  );
}

const restMs = 250;

/** The query goes into the address when typing pauses, or at once with Enter. */
function QueryField({ error }: { error: string | undefined }) {
  const draft = useDraft('query', restMs);
  return (
    <Field label="Query" error={error}>
      {(ids) => (
        <input
          {...ids}
          type="text"
          maxLength={longestQuery}
          autocomplete="off"
          placeholder="Question for the model"
          {...draft}
        />
      )}
    </Field>
  );
}

function ScopeChoice() {
  const chosen = chosenIn(route.value.params, scopeChoice);
  return (
    <fieldset class="workspace-scopes">
      <legend>Scopes</legend>
      <div class="workspace-scope-buttons">
        {scopes.map((scope) => (
          <Button
            key={scope}
            pressed={chosen.includes(scope)}
            title={scopeWords[scope].range}
            onClick={() => toggleIn(scopeChoice, scope)}
          >
            {scopeWords[scope].title}
          </Button>
        ))}
      </div>
      {chosen.includes('dynamic') && !chosen.includes('static') && (
        <p class="field-hint">Dynamic includes the mounted directory, so its files stay.</p>
      )}
    </fieldset>
  );
}

/** Explains any file: one of the list, one that was left out, or any typed path. */
function ExplainField({ mountedDirectory, result }: { mountedDirectory: string; result: ResolveResult | undefined }) {
  const [typed, setTyped] = useState('');
  const files = useFileSuggestions(mountedDirectory, typed);
  const wanted = typed.trim().toLowerCase();
  const known = new Map<string, string>();
  for (const { path, relativePath, state } of result?.files ?? [])
    if (known.size < maxSuggestions && `${path} ${relativePath}`.toLowerCase().includes(wanted))
      known.set(relativePath, state);
  for (const { path } of result?.excluded ?? [])
    if (known.size < maxSuggestions && path.toLowerCase().includes(wanted))
      known.set(relativeTo(mountedDirectory, path), 'left out');
  for (const path of files) if (!known.has(path)) known.set(path, 'no context');
  return (
    <SuggestingInput
      label="Explain a file"
      placeholder="Any path…"
      inputClass="mono"
      value={typed}
      onInput={setTyped}
      onCommit={(path) => {
        if (path.trim() === '') return;
        setTyped('');
        setParams({ explain: path.trim() }, 'push');
      }}
      suggestions={[...known].slice(0, maxSuggestions).map(([path, state]) => asPath(path, state))}
      note={typed === '' && known.size === 0 ? 'Any path, even of a file that is not context.' : undefined}
    />
  );
}

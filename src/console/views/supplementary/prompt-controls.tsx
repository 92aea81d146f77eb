import { useState } from 'preact/hooks';
import type { ImportMode, RetrieveRequest } from '../../../retrieval/retrieve-request.ts';
import { BudgetField, budgetOf } from '../../budget-field.tsx';
import { Segmented } from '../../elements/fields.tsx';
import { SuggestingInput } from '../../elements/suggesting-input.tsx';
import { route, setParams } from '../../route.ts';
import { useFoundFiles } from './add-field.tsx';
import { MatchedPath } from './matched-path.tsx';

const importModes = ['definitions', 'files', 'off'] as const satisfies readonly ImportMode[];

/** The request that the address describes: `file` (the active document), `imports` and `budget`. */
export function retrieveRequestOf(mountedDirectory: string, params: URLSearchParams): RetrieveRequest {
  const path = params.get('file');
  const imports = importModes.find((mode) => mode === params.get('imports'));
  return {
    mountedDirectory,
    ...(path === null ? {} : { activeDocument: { path } }),
    ...(imports === undefined ? {} : { automatic: { imports } }),
    ...budgetOf(params),
  };
}

/** The active document, the import mode, and the budget. */
export function PromptControls({ mountedDirectory }: { mountedDirectory: string }) {
  const { params } = route.value;
  const [typed, setTyped] = useState<string>();
  const files = useFoundFiles(mountedDirectory, typed ?? '').value?.files ?? [];
  const active = params.get('file') ?? '';
  const commit = (path: string) => {
    setTyped(undefined);
    setParams({ file: path.trim() });
  };
  const imports = importModes.find((mode) => mode === params.get('imports')) ?? 'definitions';
  return (
    <div class="supplementary-controls">
      <div
        onFocusOut={() => {
          if (typed !== undefined) commit(typed);
        }}
      >
        <SuggestingInput
          label="Active document"
          placeholder="None: only what you added"
          inputClass="mono"
          value={typed ?? active}
          onInput={setTyped}
          onCommit={commit}
          suggestions={(typed === undefined ? [] : files.slice(0, 20)).map(({ relativePath }) => ({
            value: relativePath,
            label: <MatchedPath path={relativePath} query={typed ?? ''} />,
          }))}
        />
      </div>
      <BudgetField />
      {active !== '' && (
        <Segmented
          label="Imported files"
          value={imports}
          options={[
            { value: 'definitions', label: 'Definitions', title: 'Only the imported definitions' },
            { value: 'files', label: 'Files', title: 'Whole files' },
            { value: 'off', label: 'Nothing' },
          ]}
          onChange={(mode) => setParams({ imports: mode === 'definitions' ? undefined : mode })}
        />
      )}
    </div>
  );
}

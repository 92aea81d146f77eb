import { ListFilter } from 'lucide';
import { useMemo } from 'preact/hooks';
import type { FormatsResult } from '../../../context/formats-request.ts';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import type { Resource } from '../../api/resource.ts';
import { Badge } from '../../elements/badge.tsx';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Segmented } from '../../elements/fields.tsx';
import { EmptyState, Panel, ProblemNotice, Skeleton } from '../../elements/panel.tsx';
import { count, countOf, Name, semanticWords } from '../../elements/text.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { route, setParams } from '../../route.ts';
import { type Changes, useChanges } from './changes.ts';
import { ContextRow } from './context-row.tsx';
import { ContextText, type TextPart } from './context-text.tsx';
import { NothingShown } from './nothing-shown.tsx';
import { type Row, rowsOf, type Show, shows } from './resolution-rows.ts';
import { rowsByTool } from './tool-rows.ts';

type ResolutionPanelProps = {
  result: ResolveResult;
  isStale: boolean;
  /** The formats to group by; undefined if the list is ordered by place. */
  formats: Resource<FormatsResult> | undefined;
  onShowWarnings: () => void;
};

/** The files of the resolution, in their order or by tool, or their combined text. */
export function ResolutionPanel({ result, isStale, formats, onShowWarnings }: ResolutionPanelProps) {
  const { params } = route.value;
  const show = shows.find((each) => each === params.get('show')) ?? 'all';
  const find = params.get('find') ?? '';
  const changes = useChanges(result);
  const here = formats?.value;
  const fold = params.getAll('fold').join(' ');
  const rows = useMemo(
    () =>
      here === undefined
        ? rowsOf(result, { show, find })
        : rowsByTool(result, here, { show, find, folded: new Set(fold.split(' ')) }),
    [result, here, show, find, fold],
  );
  const parts = useMemo(() => partsOf(result), [result]);
  const isText = show === 'text';
  const { files, excluded, warnings, semantic } = result;
  const active = files.filter(({ state }) => state === 'active').length;
  const content = () => {
    if (isText) return <WholeText parts={parts} />;
    if (formats !== undefined && here === undefined) return formats.problem === undefined && <Skeleton rows={16} />;
    if (rows.length === 0) return <NothingShown result={result} find={find} show={show} />;
    return <ContextList result={result} rows={rows} show={show} marks={changes.marks} />;
  };
  return (
    <Panel
      class="workspace-resolution"
      title="Context"
      isBusy={isStale || formats?.isStale === true}
      note={<ChangeWords changes={changes} />}
      actions={
        <>
          {warnings.length > 0 && (
            <Button kind="quiet" onClick={onShowWarnings}>
              {countOf(warnings.length, 'warning')}
            </Button>
          )}
          {isText && <CopyButton text={parts.map(({ text }) => text).join('\n\n')} label="Copy the whole context" />}
        </>
      }
    >
      <div class="workspace-filter">
        <Segmented<Show>
          label="Show"
          value={show}
          options={[
            { value: 'all', label: `All ${count(files.length + excluded.length)}` },
            { value: 'active', label: `Active ${count(active)}` },
            { value: 'available', label: `Available ${count(files.length - active)}` },
            { value: 'excluded', label: `Left out ${count(excluded.length)}` },
            { value: 'text', label: 'As the model gets it', title: 'The text of all active files, in order' },
          ]}
          onChange={(value) => setParams({ show: value === 'all' ? undefined : value })}
        />
        {!isText && <Grouping by={formats === undefined ? 'place' : 'tool'} />}
        {!isText && <FindField find={find} />}
        {semantic !== undefined && <SemanticState semantic={semantic} />}
      </div>
      {formats?.problem !== undefined && <ProblemNotice problem={formats.problem} onRetry={formats.reload} />}
      {content()}
    </Panel>
  );
}

type ContextListProps = Pick<ResolutionPanelProps, 'result'> & {
  rows: readonly Row[];
  show: Show;
  marks: Changes['marks'];
};

function ContextList({ result: { files, mountedDirectory }, rows, show, marks }: ContextListProps) {
  return (
    <div class="workspace-table" data-scored={files.some(({ similarityScore }) => similarityScore !== undefined)}>
      {show !== 'excluded' && <ColumnNames />}
      <VirtualList
        class="workspace-list"
        label="Context files"
        items={rows}
        keyOf={({ key }) => key}
        estimate={54}
        render={(row) => <ContextRow row={row} mountedDirectory={mountedDirectory} mark={markOf(row, marks)} />}
      />
    </div>
  );
}

function Grouping({ by }: { by: 'place' | 'tool' }) {
  return (
    <Segmented<'place' | 'tool'>
      label="Group by"
      value={by}
      options={[
        { value: 'place', label: 'Place', title: 'In the order in which the model gets them' },
        {
          value: 'tool',
          label: 'Tool',
          title: 'By tool, with a switch for each format',
        },
      ]}
      onChange={(value) => setParams({ by: value === 'place' ? undefined : value })}
    />
  );
}

function FindField({ find }: { find: string }) {
  return (
    <div class="field workspace-find">
      <label for="workspace-find">Name or path</label>
      <input
        id="workspace-find"
        type="search"
        autocomplete="off"
        placeholder="Filter the list…"
        value={find}
        onInput={(event) => setParams({ find: event.currentTarget.value, fold: undefined })}
      />
    </div>
  );
}

function SemanticState({ semantic }: { semantic: NonNullable<ResolveResult['semantic']> }) {
  return (
    <p class="workspace-semantic">
      <Badge tone={semantic.status === 'ready' ? 'good' : 'warn'}>{semanticWords[semantic.status]}</Badge>{' '}
      <span class="faint">
        <Name>{[semantic.engine, semantic.detail].filter((each) => each !== undefined).join(': ')}</Name>
      </span>
    </p>
  );
}

function markOf(row: Row, marks: Changes['marks']) {
  return row.kind === 'file' || row.kind === 'excluded' ? marks.get(row.file.path) : undefined;
}

function ChangeWords({ changes: { marks, gone } }: { changes: Changes }) {
  let fresh = 0;
  for (const mark of marks.values()) if (mark === 'new') fresh += 1;
  const words = [
    ...(fresh > 0 ? [`${count(fresh)} new`] : []),
    ...(marks.size > fresh ? [`${count(marks.size - fresh)} changed`] : []),
    ...(gone > 0 ? [`${count(gone)} gone`] : []),
  ];
  return (
    <span role="status" class="workspace-changes">
      {words.length > 0 && `just now: ${words.join(', ')}`}
    </span>
  );
}

/** Hidden from screen readers: for them, and in narrow windows, each row repeats these names. */
function ColumnNames() {
  return (
    <div class="workspace-row workspace-head" aria-hidden="true">
      <span>State</span>
      <span class="workspace-what">File</span>
      <span class="workspace-why">Why</span>
      <span class="workspace-kind">Type · trigger</span>
      <span class="number">Priority</span>
      <span class="workspace-similarity number">Similarity</span>
      <span class="workspace-tokens number">Tokens</span>
    </div>
  );
}

function partsOf({ files }: ResolveResult): TextPart[] {
  return files.flatMap(({ path, relativePath, content, tokens }) =>
    content === undefined ? [] : [{ key: path, path: relativePath, text: content, tokens }],
  );
}

function WholeText({ parts }: { parts: readonly TextPart[] }) {
  if (parts.length === 0)
    return (
      <EmptyState icon={ListFilter} title="The model gets no text from here">
        No file is active. Mention one, or add a file in play that matches its globs.
      </EmptyState>
    );
  return (
    <>
      <p class="faint workspace-text-note">
        The bodies of the active files in their order. The paths are not part of the text.
      </p>
      <ContextText parts={parts} label="The whole context" />
    </>
  );
}

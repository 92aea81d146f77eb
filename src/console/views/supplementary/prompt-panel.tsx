import { FilePlus, RotateCw } from 'lucide';
import { wordsOfExclusion } from '../../../context/reason-words.ts';
import type { OmittedItem, Origin, RetrievedItem, RetrieveResult } from '../../../retrieval/retrieve-result.ts';
import { shortenPaths } from '../../../texts/short-paths.ts';
import type { Resource } from '../../api/resource.ts';
import { Badge, type Tone } from '../../elements/badge.tsx';
import { IconButton } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { Segmented } from '../../elements/fields.tsx';
import { LongText } from '../../elements/long-text.tsx';
import { EmptyState, Notice, Panel } from '../../elements/panel.tsx';
import { ResourceState, withoutUnreachable } from '../../elements/resource-state.tsx';
import { count, countOf, FilePath, Name } from '../../elements/text.tsx';
import { TokenBar } from '../../elements/token-bar.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { FoldedWarnings } from '../../elements/warnings.tsx';
import { route, setParams } from '../../route.ts';
import { PromptControls } from './prompt-controls.tsx';

const origins: Record<Origin, { word: string; words: string; tone: Tone }> = {
  supplementary: { word: 'added', words: 'you added it', tone: 'neutral' },
  'open-tab': { word: 'tab', words: 'it is open in a tab', tone: 'neutral' },
  import: { word: 'import', words: 'the active document imports it', tone: 'accent' },
  search: { word: 'search', words: 'it fits the query', tone: 'accent' },
};
type PromptPanelProps = { mountedDirectory: string; prompt: Resource<RetrieveResult> };

/** What a prompt would include now, what it costs, and what is left out. */
export function PromptPanel({ mountedDirectory, prompt }: PromptPanelProps) {
  const { value, isStale, reload } = prompt;
  const { params } = route.value;
  const isLeftOut = params.get('show') === 'omitted';
  const chosen = params.get('path');
  const item = chosen === null ? undefined : value?.items.find(({ relativePath }) => relativePath === chosen);
  return (
    <Panel
      title="What goes with a prompt"
      isBusy={isStale}
      actions={<IconButton icon={RotateCw} label="Read the files again" onClick={reload} />}
    >
      <div class="supplementary-prompt">
        <PromptControls mountedDirectory={mountedDirectory} />
        <ResourceState resource={withoutUnreachable(prompt)} rows={6} />
        {value !== undefined && (
          <>
            <TokenBar used={value.usage.tokens} max={value.usage.maxTokens} />
            <FoldedWarnings warnings={value.warnings} />
            <Segmented
              label="Show"
              value={isLeftOut ? 'omitted' : 'items'}
              options={[
                { value: 'items', label: `Taken ${count(value.items.length)}` },
                { value: 'omitted', label: `Left out ${count(value.omitted.length)}` },
              ]}
              onChange={(show) => setParams({ show: show === 'items' ? undefined : show })}
            />
            {isLeftOut ? (
              <Omitted items={value.omitted} mountedDirectory={mountedDirectory} />
            ) : (
              <Items items={value.items} />
            )}
          </>
        )}
      </div>
      {chosen !== null && value !== undefined && <ItemDrawer path={chosen} item={item} />}
    </Panel>
  );
}

function Items({ items }: { items: readonly RetrievedItem[] }) {
  if (items.length === 0)
    return (
      <EmptyState icon={FilePlus} title="Nothing goes with a prompt">
        Add a file, or choose an active document to see what it adds.
      </EmptyState>
    );
  return (
    <VirtualList
      class="supplementary-retrieved"
      label="Files that go with a prompt, in their order"
      items={items}
      keyOf={({ path }) => path}
      estimate={37}
      render={(item) => (
        <button type="button" class="supplementary-file" onClick={() => setParams({ path: item.relativePath }, 'push')}>
          <span class="supplementary-file-name">
            <FilePath path={item.relativePath} />
            {item.range !== undefined && (
              <span class="faint">
                lines {item.range.startLine}–{item.range.endLine}
              </span>
            )}
            {item.truncated && <Badge tone="warn">only its beginning</Badge>}
          </span>
          <Badge tone={origins[item.origin].tone}>{origins[item.origin].word}</Badge>
          <span class="number">{count(item.tokens)}</span>
        </button>
      )}
    />
  );
}

function Omitted({ items, mountedDirectory }: { items: readonly OmittedItem[]; mountedDirectory: string }) {
  if (items.length === 0)
    return <EmptyState title="Nothing is left out">Everything that was found is included.</EmptyState>;
  return (
    <VirtualList
      class="supplementary-retrieved"
      label="Files that do not go with a prompt, and why"
      items={items}
      keyOf={({ path }, index) => `${index} ${path}`}
      estimate={54}
      render={({ origin, path, reason, tokens }) => (
        <div class="supplementary-omitted">
          <FilePath path={shortenPaths(path, mountedDirectory)} />
          <Badge tone={origins[origin].tone}>{origins[origin].word}</Badge>
          <span class="number">{tokens === undefined ? '' : count(tokens)}</span>
          <p class="supplementary-why">
            <Name>{shortenPaths(wordsOfExclusion(reason), mountedDirectory)}</Name>
          </p>
        </div>
      )}
    />
  );
}

function ItemDrawer({ path, item }: { path: string; item: RetrievedItem | undefined }) {
  return (
    <Dialog shape="drawer" title={<FilePath path={path} />} onClose={() => setParams({ path: undefined })}>
      {item === undefined ? (
        <Notice>This file no longer goes with the prompt.</Notice>
      ) : (
        <>
          <p class="cluster">
            <span>
              {countOf(item.tokens, 'token')}: {origins[item.origin].words}
            </span>
            {item.language !== undefined && <Badge isCode>{item.language}</Badge>}
            {item.range !== undefined && (
              <Badge>
                lines {item.range.startLine}–{item.range.endLine}
              </Badge>
            )}
            {item.truncated && <Badge tone="warn">only its beginning: the file is too large</Badge>}
          </p>
          {item.content === '' ? (
            <EmptyState title="The file is empty" />
          ) : (
            <LongText text={item.content} label={`Content of ${item.relativePath}`} />
          )}
        </>
      )}
    </Dialog>
  );
}

import { SearchX, TextSearch } from 'lucide';
import type { ComponentChildren } from 'preact';
import { baseName } from '../../../access/paths.ts';
import type { FoundItem, ItemSearchResult, RejectedItem, SearchRequest } from '../../../agent/item-search.ts';
import type { Selection } from '../../../search/rank.ts';
import type { Resource } from '../../api/resource.ts';
import { Badge } from '../../elements/badge.tsx';
import { EmptyState, Panel } from '../../elements/panel.tsx';
import { ResourceState, withoutUnreachable } from '../../elements/resource-state.tsx';
import { count, Name } from '../../elements/text.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { FoldedWarnings } from '../../elements/warnings.tsx';
import { addressOf } from '../../route.ts';
import { MarkedText } from './marked-text.tsx';
import { maxRejected } from './search-request.ts';
import { SemanticNotice } from './semantic-notice.tsx';

type Row =
  | { kind: 'selected'; item: FoundItem }
  | { kind: 'cut'; selected: number; rejected: number }
  | { kind: 'rejected'; item: RejectedItem };

type ResultsPanelProps = {
  found: Resource<ItemSearchResult>;
  asked: SearchRequest;
  selection: Selection;
  /** The mounted directory of the search, for links to files. */
  directory: string | undefined;
};

/** The selected results, a line, and the results below it. */
export function ResultsPanel({ found, asked, selection, directory }: ResultsPanelProps) {
  const { value, isStale } = found;
  return (
    <Panel title="Found" isBusy={isStale} note={value && noteOf(value)}>
      <div class="search-found">
        <ResourceState resource={withoutUnreachable(found)} rows={10} />
        {value !== undefined && (
          <>
            <SemanticNotice semantic={value.semantic} asked={asked} />
            <FoldedWarnings warnings={value.warnings} />
            <Results value={value} query={asked.query} selection={selection} directory={directory} />
          </>
        )}
      </div>
    </Panel>
  );
}

function noteOf({ results, rejected = [], semantic }: ItemSearchResult): string {
  const all = results.length + rejected.length;
  const more = rejected.length >= maxRejected ? ' or more' : '';
  return `${count(results.length)} of ${count(all)}${more} selected · ${semantic.engine}`;
}

type ResultsProps = Omit<ResultsPanelProps, 'found' | 'asked'> & { value: ItemSearchResult; query: string };

function Results({ value, query, selection, directory }: ResultsProps) {
  const { results, rejected = [], searched, semantic } = value;
  if (results.length + rejected.length === 0)
    return (
      <EmptyState icon={SearchX} title={semantic.status === 'unavailable' ? 'Nothing was searched' : 'Nothing matches'}>
        {searched > 0 && semantic.engine === 'keyword'
          ? 'No item contains a word of the query. Only words were compared. Try other words, or search by meaning.'
          : 'There are no items to search. The Workspace view shows which context files there are.'}
      </EmptyState>
    );
  const rows: Row[] = [
    ...results.map((item): Row => ({ kind: 'selected', item })),
    { kind: 'cut', selected: results.length, rejected: rejected.length },
    ...rejected.map((item): Row => ({ kind: 'rejected', item })),
  ];
  return (
    <VirtualList
      class="search-list"
      label="Matching items, most relevant first"
      items={rows}
      keyOf={keyOf}
      estimate={96}
      render={(row) =>
        row.kind === 'cut' ? (
          <CutOff
            selection={selection}
            engine={value.semantic.engine}
            selected={row.selected}
            rejected={row.rejected}
          />
        ) : (
          <ResultRow item={row.item} query={query} directory={directory} isSelected={row.kind === 'selected'}>
            {row.kind === 'rejected' && <Name>{row.item.reason.detail ?? row.item.reason.code}</Name>}
          </ResultRow>
        )
      }
    />
  );
}

function keyOf(row: Row): string {
  if (row.kind === 'cut') return 'cut';
  const { type, serverName = '', name, path = '' } = row.item;
  return JSON.stringify([type, serverName, name, path]);
}

function CutOff(props: { selection: Selection; engine: string; selected: number; rejected: number }) {
  const { topN, includeScore, minScore, minOfBest, enough } = props.selection;
  const isPreset = minOfBest !== 0;
  const least =
    isPreset && props.engine === 'semantic'
      ? 'that does not stand out'
      : `below ${minScore.toFixed(2)}${isPreset ? ' or far below the best' : ''}`;
  const best = `the best ${count(topN)}`;
  const certain = `all with a score of ${includeScore.toFixed(2)} or more`;
  const rule =
    includeScore < enough ? `${best}, and ${certain}, but none ${least}` : `${best}, but none ${least}, and ${certain}`;
  const [above, lead] = props.selected === 0 ? ['Nothing is selected', '. Selected would be'] : ['Selected above', ':'];
  return (
    <p class="search-cut">
      <span>
        <strong>{above}</strong>
        {lead} {rule}
        {props.rejected === 0 && '. Nothing else matches'}
      </span>
    </p>
  );
}

type ResultRowProps = {
  item: FoundItem;
  query: string;
  directory: string | undefined;
  isSelected: boolean;
  /** Why it is not selected. */
  children?: ComponentChildren;
};

function ResultRow({ item, query, directory, isSelected, children }: ResultRowProps) {
  const { type, name, serverName, path, score, chunk } = item;
  return (
    <article class="search-result" data-selected={isSelected}>
      <div class="search-score">
        <span class="number">{score.toFixed(2)}</span>
        <span class="search-bar">
          <span style={{ inlineSize: `${score * 100}%` }} />
        </span>
      </div>
      <div>
        <p class="search-name">
          <strong>
            <Name>{name}</Name>
          </strong>
          <Badge tone={isSelected ? 'accent' : 'neutral'}>{type}</Badge>
          {serverName !== undefined && (
            <span class="faint">
              of <Name>{serverName}</Name>
            </span>
          )}
          {chunk.index > 0 && <span class="faint">part {count(chunk.index + 1)}</span>}
          {path !== undefined && directory !== undefined && (
            <a
              class="search-link"
              title="What happens to this file, and why"
              href={addressOf('workspace', { dir: directory, explain: path })}
            >
              <Name>{baseName(path)}</Name>
            </a>
          )}
        </p>
        <p class="search-chunk">
          <MarkedText text={chunk.text} query={query} />
        </p>
        {!isSelected && <p class="search-why">Not selected: {children}</p>}
      </div>
    </article>
  );
}

/** Shown before a search. */
export function NothingAsked() {
  return (
    <Panel title="Found">
      <EmptyState icon={TextSearch} title="Ask something">
        Type what somebody would ask a model. You see which rules, references and tools are relevant enough to be sent,
        with their scores, and which are not.
      </EmptyState>
    </Panel>
  );
}

import { wordsOfExclusion, wordsOfState } from '../../../context/reason-words.ts';
import { shortenPaths } from '../../../texts/short-paths.ts';
import { visibleText } from '../../../texts/visible-text.ts';
import { Badge } from '../../elements/badge.tsx';
import { count, countOf, FilePath, Name } from '../../elements/text.tsx';
import { relativeTo } from '../../paths.ts';
import { setParams } from '../../route.ts';
import type { Changes } from './changes.ts';
import { FormatRow, GroupSum } from './format-row.tsx';
import type { Row } from './resolution-rows.ts';
import { scopeWords } from './workspace-request.ts';

export const openExplanation = (path: string) => setParams({ explain: path }, 'push');

type Mark = ReturnType<Changes['marks']['get']>;

/** One row of the list, of any kind. `mark` says that it changed a moment ago. */
export function ContextRow({ row, mark, mountedDirectory }: { row: Row; mark: Mark; mountedDirectory: string }) {
  if (row.kind === 'group') return <GroupRow row={row} mountedDirectory={mountedDirectory} />;
  if (row.kind === 'format') return <FormatRow row={row} mountedDirectory={mountedDirectory} />;
  if (row.kind === 'not-read') return <NotReadRow file={row.file} />;
  if (row.kind === 'excluded-group')
    return (
      <div class="workspace-group">
        <h3>Left out</h3>
        <span class="faint">{countOf(row.files, 'file')} found and not used</span>
      </div>
    );
  if (row.kind === 'excluded') {
    const { path, reason } = row.file;
    return (
      <div class="workspace-row" data-mark={mark}>
        <span>
          <Badge tone="warn">Left out</Badge>
          <MarkText mark={mark} />
        </span>
        <span class="workspace-what">
          <button type="button" class="workspace-open" onClick={() => openExplanation(path)}>
            <FilePath path={relativeTo(mountedDirectory, path)} />
          </button>
        </span>
        <span class="workspace-why workspace-why-left-out" title={reason.code}>
          <Name>{shortenPaths(wordsOfExclusion(reason), mountedDirectory)}</Name>
        </span>
      </div>
    );
  }
  return <FileRow file={row.file} mark={mark} />;
}

function FileRow({ file, mark }: { file: Extract<Row, { kind: 'file' }>['file']; mark: Mark }) {
  const { name, relativePath, path, state, reason, trigger, type, priority, tokens, truncated, similarityScore } = file;
  const { part, wholeTokens = 0 } = file;
  const isActive = state === 'active';
  return (
    <div class="workspace-row" data-mark={mark} data-state={state}>
      <span>
        <Badge tone={isActive ? 'good' : 'neutral'}>{isActive ? 'Active' : 'Available'}</Badge>
        <MarkText mark={mark} />
      </span>
      <span class="workspace-what">
        <button type="button" class="workspace-open" title={visibleText(name)} onClick={() => openExplanation(path)}>
          <Name>{name}</Name>
        </button>
        {truncated && (
          <Badge tone="warn" title="The file is larger than the limit; only its beginning is delivered">
            truncated
          </Badge>
        )}
        {part !== undefined && (
          <Badge title={`Only its ${part} is delivered; all of it has ${countOf(wholeTokens, 'token')}`}>{part}</Badge>
        )}
        <span class="workspace-path">
          <FilePath path={relativePath} />
        </span>
      </span>
      <span class="workspace-why" title={reason.code}>
        <Name>{wordsOfState(file)}</Name>
      </span>
      <span class="workspace-kind">
        {type} · {trigger}
      </span>
      <span class="number">
        <span class="workspace-unit">priority </span>
        {priority}
      </span>
      <span class="workspace-similarity number">
        {similarityScore !== undefined && (
          <>
            <span class="workspace-unit">similarity </span>
            {similarityScore.toFixed(2)}
          </>
        )}
      </span>
      <span class="workspace-tokens number" data-counts={isActive}>
        {count(tokens)}
        <span class="workspace-unit"> tokens</span>
      </span>
    </div>
  );
}

/** A file of a format that is not read. The format row above it says why. */
function NotReadRow({ file }: { file: Extract<Row, { kind: 'not-read' }>['file'] }) {
  const { name, path, relativePath, trigger, tokens } = file;
  return (
    <div class="workspace-row">
      <span>
        <Badge>Not read</Badge>
      </span>
      <span class="workspace-what">
        <button type="button" class="workspace-open" title={visibleText(name)} onClick={() => openExplanation(path)}>
          <Name>{name}</Name>
        </button>
        <span class="workspace-path">
          <FilePath path={relativePath} />
        </span>
      </span>
      <span class="workspace-why">its format is not read here</span>
      <span class="workspace-kind">{trigger}</span>
      <span />
      <span class="workspace-similarity" />
      <span class="workspace-tokens number" data-counts={false}>
        {count(tokens)}
        <span class="workspace-unit"> tokens</span>
      </span>
    </div>
  );
}

function MarkText({ mark }: { mark: Mark }) {
  return mark === undefined ? null : <span class="visually-hidden">, {mark} just now</span>;
}

function GroupRow({ row, mountedDirectory }: { row: Extract<Row, { kind: 'group' }>; mountedDirectory: string }) {
  const { scope, owner, files, active, tokens } = row;
  const place = scope === 'static' ? undefined : relativeTo(mountedDirectory, owner);
  return (
    <div class="workspace-group">
      <h3>{scopeWords[scope].title}</h3>
      {place === undefined ? <span class="faint">{scopeWords[scope].place}</span> : <FilePath path={place} />}
      <GroupSum files={files} active={active} tokens={tokens} />
    </div>
  );
}

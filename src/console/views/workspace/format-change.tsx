import { useMemo } from 'preact/hooks';
import type { FormatsChange, FormatsResult } from '../../../context/formats-request.ts';
import { wordsOfExclusion } from '../../../context/reason-words.ts';
import type { ResolveRequest } from '../../../context/resolve-request.ts';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { Notice, ProblemNotice, Skeleton } from '../../elements/panel.tsx';
import { count, countOf, FilePath, Name } from '../../elements/text.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { setParams } from '../../route.ts';
import { type ChangeRow, changeRows } from './change-rows.ts';
import { type FormatSwitch, useFormats } from './formats-here.ts';
import { relativeTo, withoutDirectory } from './resolution-rows.ts';

type FormatChangeProps = { change: FormatSwitch; asked: ResolveRequest; result: ResolveResult | undefined };

/** What switching a format would change, before it is switched, and how to do it. */
export function FormatChangeDialog({ change, asked, result }: FormatChangeProps) {
  const { value, problem, isStale, reload } = useFormats(asked, result, change);
  const [name, isWanted] = 'with' in change ? [change.with, true] : [change.without, false];
  const format = value?.formats.find((each) => each.name === name);
  return (
    <Dialog
      shape="drawer"
      title={<Name>{isWanted ? `Read ${name}?` : `Stop reading ${name}?`}</Name>}
      onClose={() => setParams({ with: undefined, without: undefined })}
    >
      {problem !== undefined && <ProblemNotice problem={problem} onRetry={reload} />}
      {value?.change === undefined || isStale ? (
        problem === undefined && <Skeleton rows={10} />
      ) : format !== undefined && format.isRead === isWanted ? (
        <Notice tone="info">{isWanted ? 'It is read now.' : 'It is not read now.'} Nothing is left to do.</Notice>
      ) : (
        <>
          <Sums change={value.change} tool={format?.tool ?? name} asked={asked} />
          <Files change={value.change} mountedDirectory={value.mountedDirectory} />
          <Servers change={value.change} />
          <Instruction value={value} change={value.change} sources={result?.configSources ?? []} name={name} />
        </>
      )}
    </Dialog>
  );
}

function Sums(props: { change: FormatsChange; tool: string; asked: ResolveRequest }) {
  const { tool, asked } = props;
  const { before, after } = props.change;
  const more = after.tokens - before.tokens;
  const parts = [
    ...(asked.mentions === undefined ? [] : ['mentions']),
    ...(asked.query === undefined ? [] : ['query']),
    ...(asked.budget === undefined ? [] : ['budget']),
    ...(asked.scopes === undefined ? [] : ['scopes']),
  ];
  return (
    <div class="workspace-change-part">
      <p>
        Rule files of <Name>{tool}</Name>, in the directories on the way to what is in play.
      </p>
      <dl class="workspace-facts">
        <Total name="Applies now" total={before} />
        <Total name="Would apply" total={after} />
        <div>
          <dt>Difference</dt>
          <dd class="number">
            {more === 0 ? 'no tokens' : `${countOf(Math.abs(more), 'token')} ${more < 0 ? 'saved' : 'more'}`}
          </dd>
        </div>
      </dl>
      {parts.length > 0 && <p class="faint">Counted for the files in play, without {parts.join(', ')}.</p>}
    </div>
  );
}

function Total({ name, total: { active, tokens } }: { name: string; total: FormatsChange['before'] }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number">
        {countOf(active, 'file')}, {countOf(tokens, 'token')}
      </dd>
    </div>
  );
}

function Files({ change, mountedDirectory }: { change: FormatsChange; mountedDirectory: string }) {
  const rows = useMemo(() => changeRows(change), [change]);
  return (
    <section class="workspace-change-part" aria-label="What would change">
      <h3>What would change</h3>
      {rows.length === 0 ? (
        <p class="faint">No file would have another state.</p>
      ) : (
        <VirtualList
          class="workspace-changed"
          label="Files that would change"
          items={rows}
          keyOf={({ key }) => key}
          estimate={40}
          render={(row) => <ChangedRow row={row} mountedDirectory={mountedDirectory} />}
        />
      )}
    </section>
  );
}

function ChangedRow({ row, mountedDirectory }: { row: ChangeRow; mountedDirectory: string }) {
  if (row.kind === 'group')
    return (
      <div class="workspace-group">
        <h4>{row.title}</h4>
        <span class="workspace-group-sum faint">
          {countOf(row.files, 'file')}
          {row.tokens > 0 && ` · ${countOf(row.tokens, 'token')}`}
        </span>
      </div>
    );
  const { relativePath, tokens, before, after } = row.file;
  const reason = after?.state === 'excluded' ? after.reason : before?.state === 'excluded' ? before.reason : undefined;
  return (
    <div class="workspace-changed-file">
      <FilePath path={relativePath} />
      {tokens !== undefined && <span class="number">{count(tokens)}</span>}
      {reason !== undefined && (
        <span class="faint workspace-changed-why">
          {after?.state !== 'excluded' && 'so far '}
          <Name>{withoutDirectory(wordsOfExclusion(reason), mountedDirectory)}</Name>
        </span>
      )}
    </div>
  );
}

function Servers({ change: { servers } }: { change: FormatsChange }) {
  if (servers.length === 0) return null;
  return (
    <section class="workspace-change-part" aria-label="Servers">
      <h3>MCP servers</h3>
      <ul>
        {servers.map(({ name, change }) => (
          <li key={name}>
            <strong>
              <Name>{name}</Name>
            </strong>{' '}
            {change === 'removed' ? 'would no longer be there' : 'would be there'}
          </li>
        ))}
      </ul>
    </section>
  );
}

type InstructionProps = {
  value: FormatsResult;
  change: FormatsChange;
  sources: ResolveResult['configSources'];
  name: string;
};

/** What to write, and where. */
function Instruction({ value, change, sources, name }: InstructionProps) {
  const { configuration, formats } = change;
  const { mountedDirectory } = value;
  const leftOutBy = value.formats.find((each) => each.name === name)?.leftOutBy;
  const isThere = sources.some(({ path }) => path === configuration);
  const text = isThere
    ? `"formats": ${JSON.stringify(formats).replaceAll(',', ', ')}`
    : `${JSON.stringify({ clientContext: { formats } }, undefined, 2)}\n`;
  return (
    <section class="workspace-change-part" aria-label="How to do it">
      <h3>How to do it</h3>
      {leftOutBy !== undefined && leftOutBy !== configuration && (
        <Notice>
          <FilePath path={relativeTo(mountedDirectory, leftOutBy)} /> leaves it out as well, and must let it in first.
        </Notice>
      )}
      <p>
        {isThere ? 'In "clientContext" of ' : 'Write a file '}
        <FilePath path={relativeTo(mountedDirectory, configuration)} />
        {isThere ? ' write:' : ':'}
      </p>
      <div class="workspace-snippet">
        <pre class="plain-text">{text}</pre>
        <CopyButton text={text} label="Copy the text" />
      </div>
      <p class="faint">
        Nothing is changed until you do. This page follows when the file is saved.
        {Array.isArray(formats) && ' Formats that the list does not name are not read, those that come later included.'}
      </p>
    </section>
  );
}

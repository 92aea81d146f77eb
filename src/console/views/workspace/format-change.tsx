import { useMemo } from 'preact/hooks';
import type { FormatsChange, FormatsResult, FormatsWritten } from '../../../context/formats-request.ts';
import { wordsOfExclusion } from '../../../context/reason-words.ts';
import type { ResolveRequest } from '../../../context/resolve-request.ts';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import { shortenPaths } from '../../../texts/short-paths.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { Notice } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { count, countOf, FilePath, Name, PlainText } from '../../elements/text.tsx';
import { attempt, notify } from '../../elements/toasts.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { relativeTo } from '../../paths.ts';
import { setParams } from '../../route.ts';
import { type ChangeRow, changeRows } from './change-rows.ts';
import { type FormatSwitch, useFormats } from './formats-here.ts';

type FormatChangeProps = { change: FormatSwitch; asked: ResolveRequest; result: ResolveResult | undefined };

/** Shows what switching a format would change, before the user switches it. */
export function FormatChangeDialog({ change, asked, result }: FormatChangeProps) {
  const { value, problem, isStale, reload } = useFormats(asked, result, change);
  const [name, isWanted] = 'with' in change ? [change.with, true] : [change.without, false];
  const format = value?.formats.find((each) => each.name === name);
  const isDone = !isStale && format?.isRead === isWanted;
  const effect = isStale ? undefined : value?.change;
  const close = () => setParams({ with: undefined, without: undefined });
  const apply = async () => {
    if (value?.change === undefined) return;
    const { mountedDirectory, change: wanted } = value;
    const words = `${name} is ${isWanted ? 'read' : 'not read any more'}`;
    if (await attempt(() => write(mountedDirectory, wanted, words))) close();
    else reload();
  };
  return (
    <Dialog
      shape="drawer"
      title={<Name>{isWanted ? `Read ${name}?` : `Stop reading ${name}?`}</Name>}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{isDone ? 'Close' : 'Cancel'}</Button>
          {!isDone && (
            <Button kind="primary" disabled={effect === undefined} onClick={() => void apply()}>
              {isWanted ? 'Read it' : 'Stop reading it'}
            </Button>
          )}
        </>
      }
    >
      <ResourceState resource={{ value: effect, problem, reload }} rows={10} />
      {effect !== undefined && isDone && (
        <Notice tone="info">{isWanted ? 'It is read now.' : 'It is not read now.'} Nothing is left to do.</Notice>
      )}
      {value !== undefined && effect !== undefined && !isDone && (
        <>
          <Sums change={effect} tool={format?.tool ?? name} asked={asked} />
          <Files change={effect} mountedDirectory={value.mountedDirectory} />
          <Servers change={effect} />
          <Instruction value={value} change={effect} name={name} />
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
        Rule files of <Name>{tool}</Name>, in the directories on the way to the files in play.
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
        <p class="faint">No file would change its state.</p>
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
  const reason = [after, before].find((each) => each?.state === 'excluded')?.reason;
  return (
    <div class="workspace-changed-file">
      <FilePath path={relativePath} />
      {tokens !== undefined && <span class="number">{count(tokens)}</span>}
      {reason !== undefined && (
        <span class="faint workspace-changed-why">
          {after?.state !== 'excluded' && 'so far: '}
          <Name>{shortenPaths(wordsOfExclusion(reason), mountedDirectory)}</Name>
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

type InstructionProps = { value: FormatsResult; change: FormatsChange; name: string };

/** The configuration that is written, and where. */
function Instruction({ value, change, name }: InstructionProps) {
  const { configuration, formats, etag } = change;
  const { mountedDirectory } = value;
  const leftOutBy = value.formats.find((each) => each.name === name)?.leftOutBy;
  const text = JSON.stringify({ clientContext: { formats } }, undefined, 2);
  return (
    <section class="workspace-change-part" aria-label="What is written">
      <h3>What is written</h3>
      {leftOutBy !== undefined && leftOutBy !== configuration && (
        <Notice>
          <FilePath path={relativeTo(mountedDirectory, leftOutBy)} /> disables it as well, and must enable it first.
        </Notice>
      )}
      <p>
        {etag === undefined ? 'A new file, ' : 'Only this choice, in '}
        <FilePath path={relativeTo(mountedDirectory, configuration)} />:
      </p>
      <div class="workspace-snippet">
        <PlainText text={text} />
        <CopyButton text={text} label="Copy the text" />
      </div>
      {Array.isArray(formats) && (
        <p class="faint">Formats that are not in the list are not read, not even formats that contextd adds later.</p>
      )}
    </section>
  );
}

/** Writes the change, and offers to undo it. */
async function write(mountedDirectory: string, change: FormatsChange, words: string): Promise<void> {
  const { etag, formats, present = 'all' } = change;
  const put = (wanted: FormatsChange['formats'], seen: string | undefined) =>
    request<FormatsWritten>('/v1/formats', {
      method: 'PUT',
      body: { mountedDirectory, formats: wanted },
      headers: seen === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${seen}"` },
    });
  const written = await put(formats, etag);
  notify(words, () => put(present, written.etag));
}

import { ChevronDown, ChevronRight } from 'lucide';
import { Switch } from '../../elements/fields.tsx';
import { Icon } from '../../elements/icon.tsx';
import { count, countOf, FilePath, Name } from '../../elements/text.tsx';
import { relativeTo } from '../../paths.ts';
import { route, setParams } from '../../route.ts';
import type { FormatGroup } from './resolution-rows.ts';
import { foldName } from './tool-rows.ts';

type FormatRowProps = { row: FormatGroup; mountedDirectory: string };

/** A format of another tool above its files, with a switch for whether it is read here. */
export function FormatRow({ row, mountedDirectory }: FormatRowProps) {
  const { format, files, active, tokens } = row;
  if (format === undefined)
    return (
      <div class="workspace-group">
        <Fold row={row} title="Not from another tool" />
        <span class="faint">context directories, and included or imported files</span>
        <GroupSum files={files} active={active} tokens={tokens} />
      </div>
    );
  const { name, tool, isRead, leftOutBy } = format;
  const isOffForAll = !isRead && leftOutBy === undefined;
  return (
    <div class="workspace-group workspace-format">
      <div class="workspace-format-words">
        <Fold row={row} title={tool} />
        <code class="faint">{name}</code>
        {leftOutBy !== undefined && (
          <span class="faint">
            left out by <FilePath path={relativeTo(mountedDirectory, leftOutBy)} />
          </span>
        )}
        {isOffForAll && <span class="faint">disabled in the settings of the daemon</span>}
        {isRead ? (
          <GroupSum files={files} active={active} tokens={tokens} />
        ) : (
          <span class="workspace-group-sum faint">{countOf(format.files, 'file')} not read</span>
        )}
      </div>
      <Switch
        label={`Read ${name}`}
        checked={isRead}
        disabled={isOffForAll}
        onClick={() => setParams(isRead ? { without: name } : { with: name }, 'push')}
      />
    </div>
  );
}

/** The heading that opens and closes the group. */
function Fold({ row, title }: { row: FormatGroup; title: string }) {
  const name = foldName(row);
  const folded = route.value.params.getAll('fold');
  const next = folded.includes(name) ? folded.filter((each) => each !== name) : [...folded, name];
  return (
    <h3>
      <button type="button" class="workspace-fold" aria-expanded={row.isOpen} onClick={() => setParams({ fold: next })}>
        <Icon icon={row.isOpen ? ChevronDown : ChevronRight} />
        <Name>{title}</Name>
      </button>
    </h3>
  );
}

export function GroupSum({ files, active, tokens }: { files: number; active: number; tokens: number }) {
  return (
    <span class="workspace-group-sum faint">
      {count(active)} of {countOf(files, 'file')} active · {countOf(tokens, 'token')}
    </span>
  );
}

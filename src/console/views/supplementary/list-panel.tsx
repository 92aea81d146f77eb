import { AppWindow, ArrowDown, ArrowUp, FileText, Folder, type IconNode, Trash2, X } from 'lucide';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SupplementaryItem, SupplementaryKind } from '../../../supplementary/supplementary-item.ts';
import { visibleText } from '../../../texts/visible-text.ts';
import { Button, IconButton } from '../../elements/button.tsx';
import { Confirm } from '../../elements/dialog.tsx';
import { Icon } from '../../elements/icon.tsx';
import { EmptyState, Panel } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { Ago, count, countOf, FilePath, Name } from '../../elements/text.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { addressOf, route } from '../../route.ts';
import { AddField } from './add-field.tsx';
import { repetitionsOf, type Share, wordsOfDisabled, wordsOfShare } from './item-words.ts';
import { canBePutBack, type Supplementary } from './supplementary-list.ts';

type Deed = 'up' | 'down' | 'remove';
/** A question before an action that cannot be undone. */
type Question = { title: string; deed: string; work: () => void };

const icons: Record<SupplementaryKind, IconNode> = { file: FileText, folder: Folder, tab: AppWindow };

type ListPanelProps = { mountedDirectory: string; list: Supplementary; shares: ReadonlyMap<string, Share> | undefined };

/** Returns a function that sets which button of which row gets the focus. */
function useFocusAfter(box: { readonly current: HTMLDivElement | null }) {
  // This is state, not a ref: the list may already be rendered again when the answer arrives and sets the wanted focus.
  const [wanted, setWanted] = useState<{ id: string; deed: Deed }>();
  useLayoutEffect(() => {
    // A row that moves loses the focus. A removed row takes the focus with it.
    if (wanted === undefined) return;
    const { id, deed } = wanted;
    const row = box.current?.querySelector(`[data-item="${id}"]`);
    const deeds = deed === 'remove' ? [deed] : [deed, deed === 'up' ? 'down' : 'up'];
    const buttons = deeds.map((each) => row?.querySelector<HTMLButtonElement>(`[data-deed="${each}"] button`));
    const button = buttons.find((each) => each?.disabled === false);
    if (button === undefined || button === null) return;
    setWanted(undefined);
    if (document.activeElement !== button) button.focus();
  });
  return setWanted;
}

function useDeeds(list: Supplementary, box: { readonly current: HTMLDivElement | null }) {
  const items = list.value?.items;
  const [question, setQuestion] = useState<Question>();
  const setWanted = useFocusAfter(box);
  const move = (id: string, by: 1 | -1) => {
    const at = items?.findIndex((item) => item.id === id) ?? -1;
    if (items?.[at + by] === undefined) return;
    void list.move(id, by).then(() => setWanted({ id, deed: by === 1 ? 'down' : 'up' }));
  };
  const removeNow = (item: SupplementaryItem) => {
    const at = items?.findIndex(({ id }) => id === item.id) ?? -1;
    const next = items?.[at + 1] ?? items?.[at - 1];
    void list.remove(item).then(() => {
      if (next === undefined) box.current?.querySelector<HTMLInputElement>('[data-main-field] input')?.focus();
      else setWanted({ id: next.id, deed: 'remove' });
    });
  };
  const remove = (item: SupplementaryItem) => {
    if (canBePutBack(item)) return removeNow(item);
    const title = `Remove ${visibleText(item.relativePath)}?`;
    setQuestion({ title, deed: 'Remove it', work: () => removeNow(item) });
  };
  const clear = () => {
    if (items === undefined || items.every(canBePutBack)) return void list.clear();
    setQuestion({ title: 'Clear the list?', deed: 'Remove all', work: () => void list.clear() });
  };
  return { move, remove, clear, question, endQuestion: () => setQuestion(undefined) };
}

function noteOf(items: readonly SupplementaryItem[]): string | undefined {
  const unused = items.filter(({ enabled }) => !enabled).length;
  if (items.length === 0) return undefined;
  return `${countOf(items.length, 'item')}${unused === 0 ? '' : `, ${count(unused)} not used`}`;
}

/** The items of the list in their order, with all actions on them. */
export function ListPanel({ mountedDirectory, list, shares }: ListPanelProps) {
  const items = list.value?.items;
  const repetitions = useMemo(() => repetitionsOf(items ?? []), [items]);
  const box = useRef<HTMLDivElement>(null);
  const { move, remove, clear, question, endQuestion } = useDeeds(list, box);
  const note = noteOf(items ?? []);
  return (
    <Panel
      title="Added by you"
      note={note}
      actions={
        <Button kind="quiet" icon={Trash2} disabled={items === undefined || items.length === 0} onClick={clear}>
          Clear all
        </Button>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a shorter way to what the buttons of each row do */}
      <div
        ref={box}
        class="supplementary-list-box"
        onKeyDown={(event) => {
          const id = (event.target as Element).closest<HTMLElement>('[data-item]')?.dataset.item;
          const item = items?.find((each) => each.id === id);
          if (item === undefined) return;
          if (event.altKey && event.key === 'ArrowUp') move(item.id, -1);
          else if (event.altKey && event.key === 'ArrowDown') move(item.id, 1);
          else if (event.key === 'Delete') remove(item);
          else return;
          event.preventDefault();
        }}
      >
        <AddField mountedDirectory={mountedDirectory} items={items ?? []} onAdd={(entry) => void list.add(entry)} />
        <ResourceState resource={list} rows={6} />
        {items?.length === 0 && (
          <EmptyState icon={Folder} title="Nothing is added">
            Add files and folders that every prompt of this project should have, whatever is open. Type some letters of
            a path above, or run <code>contextd supplementary add docs/adr</code>.
          </EmptyState>
        )}
        {items !== undefined && items.length > 0 && (
          <VirtualList
            class="supplementary-list"
            label="Added files, folders and tabs, in the order in which they are used"
            items={items}
            keyOf={({ id }) => id}
            estimate={53}
            render={(item, index) => (
              <Row
                item={item}
                mountedDirectory={mountedDirectory}
                isFirst={index === 0}
                isLast={index === items.length - 1}
                repetition={repetitions.get(item.id)}
                share={shares?.get(item.id)}
                onMove={(by) => move(item.id, by)}
                onRemove={() => remove(item)}
              />
            )}
          />
        )}
      </div>
      {question !== undefined && (
        <Confirm title={question.title} deed={question.deed} onConfirm={question.work} onClose={endQuestion}>
          <p>An item outside the granted directories cannot be added again until its directory is granted.</p>
        </Confirm>
      )}
    </Panel>
  );
}

type RowProps = {
  item: SupplementaryItem;
  mountedDirectory: string;
  isFirst: boolean;
  isLast: boolean;
  repetition: string | undefined;
  share: Share | undefined;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
};

function Row({ item, mountedDirectory, isFirst, isLast, repetition, share, onMove, onRemove }: RowProps) {
  const { id, kind, path, relativePath, addedAt, enabled, disabledReasons } = item;
  const shown = kind === 'folder' ? `${relativePath}/` : relativePath;
  const name = visibleText(relativePath);
  const active = route.value.params.get('file');
  const isActive = kind !== 'folder' && (active === relativePath || active === path);
  return (
    <div class="supplementary-row" data-item={id} data-enabled={enabled}>
      <span class="supplementary-kind" title={kind}>
        <Icon icon={icons[kind]} />
        <span class="visually-hidden">{kind}</span>
      </span>
      <p>
        <FilePath path={shown} />
        {kind === 'tab' && <span class="faint"> open tab</span>}
      </p>
      <p class="supplementary-cost number">
        {share !== undefined && enabled && (
          <>
            {share.files > 0 && <span>{count(share.tokens)} tokens</span>}
            <span class="faint">{wordsOfShare(share, kind, isActive)}</span>
          </>
        )}
      </p>
      <p class="supplementary-added faint">
        <Ago time={addedAt} />
      </p>
      {(disabledReasons.length > 0 || repetition !== undefined) && (
        <div class="supplementary-notes">
          {disabledReasons.map((reason) => (
            <p key={reason.code} class="supplementary-why">
              Not used: <Name>{wordsOfDisabled(reason, mountedDirectory)}</Name>
              <WayOut code={reason.code} path={path} />
            </p>
          ))}
          {repetition !== undefined && (
            <p class="faint">
              <Name>{repetition}</Name>
            </p>
          )}
        </div>
      )}
      <div class="supplementary-deeds">
        <span data-deed="up">
          <IconButton icon={ArrowUp} label={`Move up: ${name}`} disabled={isFirst} onClick={() => onMove(-1)} />
        </span>
        <span data-deed="down">
          <IconButton icon={ArrowDown} label={`Move down: ${name}`} disabled={isLast} onClick={() => onMove(1)} />
        </span>
        <span data-deed="remove">
          <IconButton icon={X} label={`Remove: ${name}`} onClick={onRemove} />
        </span>
      </div>
    </div>
  );
}

function WayOut({ code, path }: { code: string; path: string }) {
  if (code === 'blocked_by_policy' || code === 'blocked_by_ignore_file')
    return (
      <>
        {' · '}
        <a href={addressOf('policy', { check: path })}>Policy</a>
      </>
    );
  if (code === 'outside_roots')
    return (
      <>
        {' · '}
        <code>contextd roots grant</code>
      </>
    );
  return null;
}

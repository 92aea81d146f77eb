import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

type VirtualListProps<Item> = {
  items: readonly Item[];
  keyOf: (item: Item, index: number) => string | number;
  /** The approximate height of a row in pixels. The real height is measured. */
  estimate: number;
  render: (item: Item, index: number) => ComponentChildren;
  /** The name of the list for screen readers. */
  label: string;
  class?: string;
  /** The row to bring into view when this changes. */
  scrollTo?: number;
  /** Opens at the end, and stays there when rows are added, unless the user has scrolled away. */
  followsEnd?: boolean;
  /** Called with the first and last rendered row when these change. */
  onRange?: (first: number, last: number) => void;
};

type LongListProps<Item> = Omit<VirtualListProps<Item>, 'followsEnd' | 'onRange'> & {
  /** With more rows than this, the list scrolls in its own box, and only visible rows are in the page. */
  most: number;
};

/** A list that is usually short. */
export function LongList<Item>({ most, ...list }: LongListProps<Item>) {
  if (list.items.length > most) return <VirtualList {...list} />;
  const { items, keyOf, render, label, class: className } = list;
  return (
    <ul class={className} aria-label={label}>
      {items.map((item, index) => (
        <li key={keyOf(item, index)}>{render(item, index)}</li>
      ))}
    </ul>
  );
}

/**
 * A list of any length in its own scrolling box. Only visible rows are in the page. The style sheet sets the height;
 * `--list-size` is the height of all rows, for lists that are not higher than their rows.
 */
export function VirtualList<Item>({
  items,
  keyOf,
  estimate,
  render,
  label,
  class: className,
  scrollTo,
  followsEnd = false,
  onRange,
}: VirtualListProps<Item>) {
  const box = useRef<HTMLElement>(null);
  const [, draw] = useState(0);
  const options = {
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => estimate,
    getItemKey: (index: number) => keyOf(items[index] as Item, index),
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    overscan: 6,
    ...(followsEnd ? ({ anchorTo: 'end', followOnAppend: true, scrollEndThreshold: 48 } as const) : {}),
    onChange: () => draw((last) => last + 1),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLLIElement>(options));
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  const isEmpty = items.length === 0;
  useLayoutEffect(() => {
    if (followsEnd && !isEmpty) virtualizer.scrollToEnd();
  }, [virtualizer, followsEnd, isEmpty]);
  useEffect(() => {
    if (scrollTo !== undefined && scrollTo >= 0) virtualizer.scrollToIndex(scrollTo, { align: 'auto' });
  }, [virtualizer, scrollTo]);
  const rows = virtualizer.getVirtualItems();
  const [first, last] = [rows[0]?.index, rows.at(-1)?.index];
  useEffect(() => {
    if (first !== undefined && last !== undefined) onRange?.(first, last);
  }, [onRange, first, last]);
  return (
    <section
      ref={box}
      class={`virtual-list ${className ?? ''}`}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      onKeyDown={(event) => {
        // The browser's own Home and End stop at the wrong place if rows have another height than estimated.
        if (event.target !== event.currentTarget || (event.key !== 'Home' && event.key !== 'End')) return;
        event.preventDefault();
        virtualizer.scrollToIndex(event.key === 'Home' ? 0 : items.length - 1);
      }}
      style={{ '--list-size': `${virtualizer.getTotalSize()}px` }}
    >
      <ul class="virtual-list-inside" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {rows.map((row) => (
          <li
            key={row.key}
            aria-setsize={items.length}
            aria-posinset={row.index + 1}
            class="virtual-list-row"
            data-index={row.index}
            ref={(element: HTMLLIElement | null) => virtualizer.measureElement(element)}
            style={{ transform: `translateY(${row.start}px)` }}
          >
            {render(items[row.index] as Item, row.index)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Shows text from others: names, paths, times. Nothing in it can change how other text is displayed (S-11). */
import { visibleText } from '../../texts/visible-text.ts';

/** A name that somebody gave, in the direction of its script. */
export function Name({ children }: { children: string }) {
  return <bdi>{visibleText(children)}</bdi>;
}

/** A path with its last component emphasised. It wraps before that, if it can; the title has the whole path. */
export function FilePath({ path }: { path: string }) {
  const shown = visibleText(path);
  const cut = shown.replace(/\/$/u, '').lastIndexOf('/') + 1;
  return (
    <bdi class="file-path" title={shown}>
      {cut > 0 && <span class="file-path-folder">{shown.slice(0, cut)}</span>}
      <wbr />
      <span class="file-path-name">{shown.slice(cut)}</span>
    </bdi>
  );
}

/** Text with its lines, such as a file. Line breaks and tabs stay; other invisible characters are made visible. */
export function PlainText({ text, class: className }: { text: string; class?: string }) {
  const shown = text
    .split(/(\r?\n|\t)/u)
    .map((part) => (/^(?:\r?\n|\t)$/u.test(part) ? part.replace('\r', '') : visibleText(part)));
  return (
    <pre class={`plain-text ${className ?? ''}`} dir="auto">
      {shown.join('')}
    </pre>
  );
}

const numbers = new Intl.NumberFormat('en');

/** `12345` → `12,345`. */
export function count(value: number): string {
  return numbers.format(value);
}

/** `count(2, 'file')` → `2 files`; the plural can be given. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A number of bytes for people. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes / 1024;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** How long ago something was, with the exact time in the title. */
export function Ago({ time }: { time: string | Date }) {
  const date = typeof time === 'string' ? new Date(time) : time;
  return (
    <time dateTime={date.toISOString()} title={moment(date)}>
      {ago(date, new Date())}
    </time>
  );
}

/** `2026-11-21 13:15:16`, in the reader's time zone. */
export function moment(date: Date): string {
  return date.toLocaleString('sv');
}

/** Whether an answer was searched by meaning. */
export const semanticWords = {
  ready: 'Searched by meaning',
  degraded: 'Searched by words only',
  unavailable: 'Not searched',
} as const;

function ago(date: Date, now: Date): string {
  const seconds = (date.getTime() - now.getTime()) / 1000;
  const passed = Math.abs(seconds);
  if (passed < 45) return 'just now';
  if (passed < 3_600) return relative.format(Math.round(seconds / 60), 'minute');
  if (passed < 86_400) return relative.format(Math.round(seconds / 3_600), 'hour');
  if (passed < 30 * 86_400) return relative.format(Math.round(seconds / 86_400), 'day');
  return date.toISOString().slice(0, 10);
}

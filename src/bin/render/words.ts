/** Numbers, sizes, times and names in words. */
import { oneLine } from './terminal-text.ts';

export function count(number: number): string {
  return number.toLocaleString('en-US');
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** `1 token`, or with a budget `49 of 4,000 tokens`. */
export function tokensWithin({ tokens, maxTokens }: { tokens: number; maxTokens?: number | undefined }): string {
  return maxTokens === undefined ? plural(tokens, 'token') : `${count(tokens)} of ${count(maxTokens)} tokens`;
}

/** The name of an item as a mention takes it: `<server>/<tool>` of a tool. */
export function itemName({ name, serverName }: { name: string; serverName?: string | undefined }): string {
  return oneLine(serverName === undefined ? name : `${serverName}/${name}`);
}

/** A time without its seconds and zone: it is UTC. */
export function minuteOf(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

/** A size for people. `digits`: decimals of a size in KiB. */
export function bytes(size: number, digits = 0): string {
  if (size < 1024) return `${size} B`;
  return size < 1024 * 1024 ? `${(size / 1024).toFixed(digits)} KiB` : `${(size / 1024 / 1024).toFixed(1)} MiB`;
}

/** Notes after the path of a root: how it is granted. */
export const rootNotes = { start: '  (until the daemon stops)', stored: '', global: '  (global context)' } as const;

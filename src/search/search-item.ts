/** What can be searched (SS-01). */

/** `text` is empty for a tool. `sha256` changes whenever name, description or text do. */
export type SearchItem = Readonly<{
  type: 'rule' | 'reference' | 'tool';
  name: string;
  /** Of a tool only. */
  serverName?: string;
  description: string;
  text: string;
  sha256: string;
}>;

/** The identity of an item. If an item changes, the new one has the same identity. */
export function nameOf({ type, serverName, name }: SearchItem): string {
  return JSON.stringify([type, serverName, name]);
}

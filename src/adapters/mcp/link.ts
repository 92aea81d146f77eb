/** The base of an MCP connection: a transport of the SDK, the reason why it broke, and how to end it. */

import type { Transport } from '@modelcontextprotocol/client';
import { McpError, type McpFailure } from '../../ports/mcp-launcher.ts';
import { shorten } from '../../texts/shorten.ts';

export type McpLink = Readonly<{
  transport: Transport;
  pid?: number | undefined;
  /** Why the link broke by itself. Set once. */
  failure(): McpFailure | undefined;
  /** `listener` is called once, when the link breaks. If the link is broken already, at once. */
  onFailure(listener: (failure: McpFailure) => void): void;
  /** Removes from a text what the server got confidentially. */
  scrub(text: string): string;
  /** The first output of the server that is not a message. */
  strayLine?(): string;
  /** Ends the process or connection of the link. Resolves when nothing of it is left. */
  end(): Promise<void>;
}>;

/** Stores the first failure and reports it. */
export function createFailureReport() {
  let first: McpFailure | undefined;
  const listeners: ((failure: McpFailure) => void)[] = [];
  return {
    failure: () => first,
    fail(error: unknown): void {
      if (first !== undefined) return;
      first = error instanceof McpError ? error.failure : { code: 'protocol', detail: shortText(String(error)) };
      for (const listener of listeners.splice(0)) listener(first);
    },
    onFailure(listener: (failure: McpFailure) => void): void {
      if (first === undefined) listeners.push(listener);
      else listener(first);
    },
  };
}

/** A text of a server, made safe and short for one line. */
export function shortText(text: string): string {
  return shorten(text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim(), 300);
}

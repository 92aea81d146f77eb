/** What an MCP connection stands on: a transport of the SDK, why it broke, and how it is ended. */

import type { Transport } from '@modelcontextprotocol/client';
import { McpError, type McpFailure } from '../../ports/mcp-launcher.ts';
import { shorten } from '../../texts/shorten.ts';

export type McpLink = Readonly<{
  transport: Transport;
  pid?: number | undefined;
  /** Set once, when the link broke by itself. */
  failure(): McpFailure | undefined;
  /** `listener` is called once when the link breaks, at once when it has broken. */
  onFailure(listener: (failure: McpFailure) => void): void;
  stderr(): string;
  /** A text without what the server was given in confidence. */
  scrub(text: string): string;
  /** The first thing the server said that is no message. */
  strayLine?(): string;
  /** Ends what the link stands on; resolves when nothing of it is left. */
  end(): Promise<void>;
}>;

/** Remembers the first failure and tells it. */
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

/** Text of a server as it may be shown in one line. */
export function shortText(text: string): string {
  return shorten(text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim(), 300);
}

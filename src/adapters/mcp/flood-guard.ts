/**
 * Limits what an MCP server may send (S-30): the size and depth of one message, the number of values in it, and the
 * number of messages that nobody asked for.
 */

import { McpError } from '../../ports/mcp-launcher.ts';
import { fixedLimits } from '../../settings.ts';

const { mcpMessages: messageLimits, mcpFloods: floodLimits } = fixedLimits;

/** How messages are separated: by lines, by events that end with an empty line, or not at all, if there is only one. */
export type Framing = 'lines' | 'events' | 'single';

const newline = 0x0a;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Checks the bytes of messages as they arrive, before anything is parsed. `feed` returns how many messages ended. It
 * throws `McpError` `limit_exceeded` if one is too long, nested too deep or has too many values, unless `passOver`
 * returns true: then the rest of this message is skipped, and the next one is checked again.
 */
export function createMessageScanner(
  framing: Framing,
  passOver: (error: McpError) => boolean = () => false,
): { feed(chunk: Uint8Array): number } {
  let isPassedOver = false;
  const exceed = (detail: string): void => {
    if (isPassedOver) return;
    const error = tooMuch(detail);
    if (!passOver(error)) throw error;
    isPassedOver = true;
  };
  let bytes = 0;
  let depth = 0;
  /** About the number of values: parsing five million empty ones takes longer than a minute. */
  let values = 0;
  let inString = false;
  let isEscaped = false;
  let isLineEmpty = true;
  const restart = () => {
    bytes = 0;
    depth = 0;
    values = 0;
    isPassedOver = false;
  };
  return {
    feed(chunk) {
      let ended = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at];
        bytes += 1;
        if (byte === newline) {
          // A JSON string contains no line break.
          inString = false;
          isEscaped = false;
          if (framing === 'lines' || (framing === 'events' && isLineEmpty)) {
            ended += 1;
            restart();
          }
          isLineEmpty = true;
          continue;
        }
        if (byte !== 0x0d) isLineEmpty = false;
        if (inString) {
          if (isEscaped) isEscaped = false;
          else if (byte === backslash) isEscaped = true;
          else if (byte === quote) inString = false;
        } else if (byte === quote) inString = true;
        else if (byte === 0x7b || byte === 0x5b) {
          depth += 1;
          values += 1;
          if (depth > messageLimits.depth)
            exceed(`It sent a message nested deeper than ${messageLimits.depth} levels.`);
        } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
        else if (byte === 0x2c) values += 1;
        if (values > messageLimits.values) exceed(`It sent a message with more than ${messageLimits.values} values.`);
        if (bytes > messageLimits.bytes) exceed(`It sent a message larger than ${messageLimits.bytes} bytes.`);
        if (bytes > messageLimits.passedOverBytes)
          throw tooMuch(`It sent a message larger than ${messageLimits.passedOverBytes} bytes.`);
      }
      return ended;
    },
  };
}

/**
 * Counts what a server sends that nobody asked for. `take` returns for how many milliseconds not to read from the
 * server. It throws `McpError` `limit_exceeded` if the pauses last longer than `patienceMs`.
 */
export function createAllowance() {
  let left: number = floodLimits.atOnce;
  let since = performance.now();
  let pausedMs = 0;
  return {
    take(cost: number): number {
      const now = performance.now();
      left = Math.min(floodLimits.atOnce, left + ((now - since) / 1000) * floodLimits.perSecond);
      since = now;
      if (left >= floodLimits.atOnce / 2) pausedMs = 0;
      left = Math.max(-floodLimits.perSecond, left - cost);
      if (left > 0) return 0;
      pausedMs += floodLimits.pauseMs;
      if (pausedMs > floodLimits.patienceMs) throw tooMuch('It never stops sending.');
      return floodLimits.pauseMs;
    },
  };
}

export function tooMuch(detail: string): McpError {
  return new McpError({ code: 'limit_exceeded', detail });
}

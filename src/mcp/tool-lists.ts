/** Compares the present tools of a server with the approved ones (S-30, S-31). */

import { hash } from 'node:crypto';
import { createPause } from '../pace/turns.ts';
import type { McpTool } from '../ports/mcp-launcher.ts';
import { fixedLimits } from '../settings.ts';
import { compareText } from '../texts/compare-text.ts';
import { isRecord } from '../texts/is-record.ts';
import { shorten } from '../texts/shorten.ts';
import { findSuspiciousUnicode, removeInvisible } from '../texts/suspicious-unicode.ts';
import type { Reason } from '../warnings.ts';

const limits = fixedLimits.mcpTools;

/** A tool, with the hash of everything that its server says about it. */
export type HashedTool = Readonly<{ hash: string; tool: McpTool }>;
export type WithheldTool = Readonly<{ name: string; reason: Reason }>;

/** `fingerprint`: of all usable tools, in any order. */
export type ToolList = Readonly<{
  fingerprint: string;
  tools: readonly HashedTool[];
  withheld: readonly WithheldTool[];
}>;

/** The usable tools of a server's list. Pauses, because a list of the permitted size takes half a second. */
export async function readToolList(listed: readonly McpTool[]): Promise<ToolList> {
  const pause = createPause();
  const tools = new Map<string, HashedTool>();
  const withheld: WithheldTool[] = [];
  for (const [at, tool] of listed.entries()) {
    const turn = pause();
    if (turn) await turn;
    if (at >= fixedLimits.mcpLists.items) {
      const detail = `Only ${fixedLimits.mcpLists.items} of ${listed.length} tools are used.`;
      withheld.push({ name: shortName(tool.name), reason: { code: 'limit_exceeded', detail } });
      break;
    }
    const reason = tools.has(tool.name) ? duplicate : objectionTo(tool);
    if (reason === undefined) tools.set(tool.name, { hash: hashOf(tool), tool });
    else withheld.push({ name: shortName(tool.name) || `(tool ${at + 1})`, reason });
  }
  const sorted = [...tools.values()].sort((a, b) => compareText(a.tool.name, b.tool.name));
  return { fingerprint: fingerprintOf(sorted), tools: sorted, withheld };
}

/** The tools of a list that may be used. New and changed tools are withheld. */
export function compareTools(pinned: readonly HashedTool[], now: ToolList) {
  const known = new Map(pinned.map(({ tool, hash }) => [tool.name, hash]));
  const withheld = [...now.withheld];
  const offered = now.tools.filter(({ tool: { name }, hash }) => {
    const before = known.get(name);
    if (before === hash) return true;
    const detail =
      before === undefined ? 'It was added after the tools were approved.' : 'It changed since it was approved.';
    withheld.push({ name, reason: { code: 'tools_changed', detail } });
    return false;
  });
  return { offered, withheld };
}

const duplicate: Reason = { code: 'duplicate_name', detail: 'The server lists another tool with this name before it.' };

function objectionTo({ name, problem, inputSchema, outputSchema, annotations }: McpTool): Reason | undefined {
  if (problem !== undefined) return problem;
  if (name === '.' || name === '..') return { code: 'invalid_name', detail: 'Its name cannot be part of a URL.' };
  if (!/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]{1,256}$/u.test(name) || findSuspiciousUnicode(name).counts.confusable)
    return { code: 'invalid_name', detail: 'Its name is empty, too long, or has misleading characters.' };
  for (const schema of [inputSchema, outputSchema, annotations]) {
    if (schema === undefined) continue;
    if (Buffer.byteLength(JSON.stringify(schema)) > limits.schemaBytes)
      return {
        code: 'limit_exceeded',
        detail: `A schema, or its annotations, is larger than ${limits.schemaBytes} bytes.`,
      };
    if (depthOf(schema) > limits.depth)
      return {
        code: 'limit_exceeded',
        detail: `A schema, or its annotations, is nested deeper than ${limits.depth} levels.`,
      };
  }
  const wrong = wrongIn(inputSchema);
  if (wrong !== undefined)
    return { code: 'invalid_schema', detail: `The schema of its arguments is not valid: ${wrong}.` };
  if (hasHiddenKey(inputSchema))
    return { code: 'suspicious_unicode', detail: 'The name of one of its arguments has invisible characters.' };
  return undefined;
}

/** The levels of nesting, counted without recursion, up to just above the limit. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  for (let depth = 0; ; depth += 1) {
    const next = level
      .filter((each) => typeof each === 'object' && each !== null)
      .flatMap((each) => Object.values(each as object));
    if (next.length === 0 || depth > limits.depth) return depth;
    level = next;
  }
}

function hasHiddenKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => removeInvisible(key) !== key || hasHiddenKey(inner));
}

/** Why a schema is not valid, also without checking a value. Models do not accept tools with invalid schemas. */
function wrongIn(schema: unknown): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isRecord(schema)) return 'it is neither an object nor true or false';
  const { type, required, properties, items } = schema;
  if (type !== undefined && ![type].flat().every((each) => types.has(each))) return '"type" is not a type';
  if (required !== undefined && !(Array.isArray(required) && required.every((each) => typeof each === 'string')))
    return '"required" is not a list of names';
  if (properties !== undefined && !isRecord(properties)) return '"properties" is not an object';
  const inner = [...Object.values(properties ?? {}), ...(items === undefined ? [] : [items].flat())];
  return inner.map(wrongIn).find((wrong) => wrong !== undefined);
}

const types: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** The order of keys does not matter. */
function hashOf({ name, title, description, inputSchema, outputSchema, annotations }: McpTool): string {
  const said = [name, title ?? null, description, inputSchema, outputSchema ?? null, annotations ?? null];
  return hash('sha256', JSON.stringify(sortKeys(said)));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}

/** The tools must be sorted by name. */
function fingerprintOf(tools: readonly HashedTool[]): string {
  return hash('sha256', JSON.stringify(tools.map(({ tool, hash }) => [tool.name, hash])));
}

/** A name, short enough to be shown. */
function shortName(name: string): string {
  return shorten(name, 256);
}

/** A tool for models: without invisible characters, and with limited text. */
type PresentedTool = McpTool &
  Readonly<{
    /** Invisible characters were removed, or a text was cut. */
    altered?: true;
  }>;

export function presentTool(tool: McpTool): PresentedTool {
  const clean = stripAll(tool) as McpTool;
  const presented = {
    ...clean,
    ...(clean.title === undefined ? {} : { title: shorten(clean.title, fixedLimits.mcpLists.textCharacters) }),
    description: shorten(clean.description, fixedLimits.mcpLists.textCharacters),
  };
  const isAltered = JSON.stringify(presented) !== JSON.stringify(tool);
  return { ...presented, ...(isAltered ? { altered: true } : {}) };
}

/** Presents tools with their hashes. Pauses, because there can be very many. */
export async function presentTools(tools: readonly HashedTool[]): Promise<(PresentedTool & { sha256: string })[]> {
  const pause = createPause();
  const presented: (PresentedTool & { sha256: string })[] = [];
  for (const { tool, hash } of tools) {
    const turn = pause();
    if (turn) await turn;
    presented.push({ ...presentTool(tool), sha256: hash });
  }
  return presented;
}

function stripAll(value: unknown): unknown {
  if (typeof value === 'string') return removeInvisible(value);
  if (Array.isArray(value)) return value.map(stripAll);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, stripAll(inner)]));
}

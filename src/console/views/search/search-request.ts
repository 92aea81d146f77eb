/** The search in the address: `q`, `of`, `types`, `mode`, `preset`, `topK`, `topN`, `include`, `min`. */
import type { Agent } from '../../../agent/agent.ts';
import type { SearchRequest } from '../../../agent/item-search.ts';
import { type SearchNumbers, type Selection, selectionOf } from '../../../search/rank.ts';
import type { SearchMode, SearchOptions } from '../../../search/search-options.ts';
import { cutQuery } from '../../../texts/longest-query.ts';
import { chosenIn } from '../../subset.ts';

export const kinds = ['rule', 'reference', 'tool'] as const satisfies SearchRequest['types'];
export const kindChoice = { param: 'types', all: kinds };

const modes = ['semantic', 'keyword', 'hybrid'] as const satisfies readonly SearchMode[];

export const presets = ['aggressive', 'normal', 'conservative'] as const satisfies readonly SearchOptions['preset'][];
/** `agent`: the settings of the agent. `custom`: single numbers. */
export type Preset = (typeof presets)[number] | 'agent' | 'custom';

/** Max results that are shown without being selected. */
export const maxRejected = 50;

/** The parameter of each number in the address, and its limits. */
export const numbers = {
  topN: { param: 'topN', label: 'Max items (topN)', min: 0, max: 50, most: 200, step: 1 },
  includeScore: { param: 'include', label: 'Always selected from (includeScore)', min: 0, max: 1, most: 1, step: 0.01 },
  minScore: { param: 'min', label: 'Never selected below (minScore)', min: 0, max: 1, most: 1, step: 0.01 },
  topK: { param: 'topK', label: 'Max items considered (topK)', min: 1, max: 100, most: 1_000, step: 1 },
} as const satisfies Record<
  keyof SearchNumbers,
  { param: string; label: string; min: number; max: number; most: number; step: number }
>;
export const numberNames = Object.keys(numbers) as (keyof SearchNumbers)[];

/** The options in the address. Invalid ones are ignored. */
export function optionsOf(params: URLSearchParams): SearchOptions {
  const preset = presets.find((each) => each === params.get('preset'));
  const mode = modes.find((each) => each === params.get('mode'));
  const chosen: { -readonly [Name in keyof SearchNumbers]?: number } = {};
  for (const name of numberNames) {
    const { param, min, most, step } = numbers[name];
    const text = params.get(param) ?? '';
    const value = Number(text);
    if (text.trim() === '' || !(value >= min && value <= most) || (step === 1 && !Number.isInteger(value))) continue;
    chosen[name] = value;
  }
  return { ...(preset === undefined ? {} : { preset }), ...(mode === undefined ? {} : { mode }), ...chosen };
}

export function presetOf(options: SearchOptions, agentSearch: SearchOptions | undefined): Preset {
  if (numberNames.some((name) => options[name] !== undefined)) return 'custom';
  return options.preset ?? (agentSearch === undefined ? 'normal' : 'agent');
}

/** The numbers that apply, as in the daemon: a preset overrides the numbers of the agent, but not its mode. */
export function effectiveOptions(
  options: SearchOptions,
  agentSearch: SearchOptions | undefined,
): { mode: SearchMode; selection: Selection } {
  const { mode: agentMode, ...agentRest } = agentSearch ?? {};
  const mode = options.mode ?? agentMode ?? 'hybrid';
  const merged = { ...(options.preset === undefined ? agentRest : {}), ...options };
  return { mode, selection: selectionOf(merged) };
}

/** `undefined` without a query, or without a place to search. */
export function requestOf(params: URLSearchParams): SearchRequest | undefined {
  const query = params.get('q')?.trim() ?? '';
  const agentId = params.get('of');
  const mountedDirectory = params.get('dir');
  if (query === '' || (agentId === null && mountedDirectory === null)) return undefined;
  const types = chosenIn(params, kindChoice);
  return {
    ...(agentId === null ? { mountedDirectory: mountedDirectory as string } : { agentId }),
    query: cutQuery(query),
    ...(types.length === kinds.length ? {} : { types: [...types] }),
    ...optionsOf(params),
    rejected: maxRejected,
  };
}

/** The settings of an agent for rules and references. */
export function searchOf(agent: Agent | undefined): SearchOptions | undefined {
  return agent?.settings?.search;
}

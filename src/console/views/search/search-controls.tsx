import { useEffect, useRef, useState } from 'preact/hooks';
import type { Agent, AgentSummary } from '../../../agent/agent.ts';
import type { SearchMode, SearchOptions } from '../../../search/search-options.ts';
import { longestQuery } from '../../../texts/longest-query.ts';
import { visibleText } from '../../../texts/visible-text.ts';
import { useDraft } from '../../draft.ts';
import { Field, Segmented, SelectField, Slider, Toggle } from '../../elements/fields.tsx';
import { route, setParams } from '../../route.ts';
import { chosenIn, toggleIn } from '../../subset.ts';
import {
  effectiveOptions,
  kindChoice,
  kinds,
  numberNames,
  numbers,
  optionsOf,
  type Preset,
  presetOf,
  presets,
  searchOf,
} from './search-request.ts';

const typingMs = 150;
const slidingMs = 100;

/** Puts the typed query into the address when typing pauses, or at once with Enter. */
export function QueryField() {
  const draft = useDraft('q', typingMs);
  return (
    <Field label="Query">
      {(ids) => (
        <input
          {...ids}
          data-main-field
          type="search"
          autocomplete="off"
          maxLength={longestQuery}
          placeholder="Question for the model"
          {...draft}
        />
      )}
    </Field>
  );
}

/** Chooses the items of an agent, or the context files of the mounted directory. */
export function SourceField({ agents }: { agents: readonly AgentSummary[] }) {
  const chosen = route.value.params.get('of') ?? '';
  const isKnown = chosen === '' || agents.some(({ id }) => id === chosen);
  return (
    <SelectField
      label="Search in"
      value={chosen}
      options={[
        { value: '', label: 'The mounted directory' },
        ...(isKnown ? [] : [{ value: chosen, label: visibleText(chosen) }]),
        ...agents.map(({ id, name }) => ({
          value: id,
          label: `Agent ${visibleText(name.length > 60 ? `${name.slice(0, 60)}…` : name)}`,
        })),
      ]}
      onChange={(of) => setParams({ of })}
    />
  );
}

const kindWords = { rule: 'Rules', reference: 'References', tool: 'Tools' } as const;

export function KindChoice() {
  const chosen = chosenIn(route.value.params, kindChoice);
  return (
    <fieldset class="search-kinds">
      <legend>Types</legend>
      {kinds.map((kind) => (
        <Toggle
          key={kind}
          label={kindWords[kind]}
          checked={chosen.includes(kind)}
          onChange={() => toggleIn(kindChoice, kind)}
        />
      ))}
    </fieldset>
  );
}

const modeOptions: readonly { value: SearchMode; label: string; title: string }[] = [
  { value: 'hybrid', label: 'Hybrid', title: 'By meaning and by words' },
  { value: 'semantic', label: 'Semantic', title: 'By meaning: the cosine similarity of a model' },
  { value: 'keyword', label: 'Keyword', title: 'Only by words' },
];
const presetWords: Record<Preset, { label: string; title: string }> = {
  agent: { label: 'Agent’s', title: 'As set for the agent' },
  aggressive: { label: 'Aggressive', title: 'Selects more' },
  normal: { label: 'Normal', title: 'The default' },
  conservative: { label: 'Conservative', title: 'Selects less' },
  custom: { label: 'Custom', title: 'Your own numbers below' },
};
const noNumbers = Object.fromEntries(numberNames.map((name) => [numbers[name].param, undefined]));

/** How to search and how much to select. */
export function SelectionControls({ agent }: { agent: Agent | undefined }) {
  const options = optionsOf(route.value.params);
  const agentSearch = searchOf(agent);
  const { mode, selection } = effectiveOptions(options, agentSearch);
  const preset = presetOf(options, agentSearch);
  const choices: Preset[] = [...(agentSearch === undefined ? [] : (['agent'] as const)), ...presets, 'custom'];
  const [drafts, setDrafts] = useState<Partial<typeof selection>>({});
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // By meaning alone, the number of a preset is no similarity. So the preset stays until there is another number.
  const isNoSimilarity = mode === 'semantic' && selection.minOfBest !== 0;
  const customise = (changes: Partial<typeof selection>) => {
    const { minScore, includeScore, ...others } = selection;
    const scores = isNoSimilarity ? { includeScore: options.includeScore } : { minScore, includeScore };
    const all: Partial<typeof selection> = { ...others, ...scores, ...changes };
    const asParams = numberNames.map((name) => [numbers[name].param, all[name]?.toString()]);
    const kept = all.minScore === undefined ? options.preset : undefined;
    setParams({ preset: kept, ...Object.fromEntries(asParams) });
  };
  return (
    <>
      <Segmented label="Engine" value={mode} options={modeOptions} onChange={(next) => setParams({ mode: next })} />
      <Segmented
        label="How much is selected"
        value={Object.keys(drafts).length > 0 ? 'custom' : preset}
        options={choices.map((value) => ({ value, ...presetWords[value] }))}
        onChange={(next) => {
          if (next === 'custom') return customise({});
          setParams({ ...noNumbers, preset: next === 'agent' ? undefined : presetParam(next, agentSearch) });
        }}
      />
      <div class="search-sliders">
        {numberNames.map((name) => {
          const { label, min, max, step } = numbers[name];
          const value = drafts[name] ?? selection[name];
          const isHidden = name === 'minScore' && drafts.minScore === undefined && isNoSimilarity;
          return (
            <Slider
              key={name}
              label={label}
              value={value}
              min={min}
              max={Math.max(max, value)}
              step={step}
              show={(number) => (isHidden ? '–' : number.toFixed(step === 1 ? 0 : 2))}
              onChange={(number) => {
                const next = { ...drafts, [name]: number };
                setDrafts(next);
                clearTimeout(timer.current);
                timer.current = setTimeout(() => {
                  setDrafts({});
                  customise(next);
                }, slidingMs);
              }}
            />
          );
        })}
      </div>
    </>
  );
}

/** A preset that applies by default is not in the address. */
function presetParam(preset: SearchOptions['preset'], agentSearch: SearchOptions | undefined): string | undefined {
  return preset === 'normal' && agentSearch === undefined ? undefined : preset;
}

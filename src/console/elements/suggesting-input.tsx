import Combobox from '@github/combobox-nav';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { FieldNote } from './fields.tsx';

export type Suggestion = { value: string; label?: ComponentChildren; detail?: ComponentChildren; disabled?: boolean };

type SuggestingInputProps = {
  label: string;
  placeholder?: string;
  value: string;
  onInput: (text: string) => void;
  /** Called when a suggestion is chosen, or when Enter is pressed with other text. */
  onCommit: (value: string) => void;
  suggestions: readonly Suggestion[];
  /** Below the open list: for example how many more there are. */
  note?: ComponentChildren;
  hint?: ComponentChildren;
  error?: string;
  isBusy?: boolean;
  /** Enter chooses the first suggestion instead of the text. */
  takesFirst?: boolean;
  /** After a choice the list stays open for the next one. It is then between the field and what follows. */
  staysOpen?: boolean;
  /** Called when the field loses the focus and its text was not used. */
  onLeave?: () => void;
  inputClass?: string;
};

/** A text field with suggestions: arrow keys choose, Enter accepts, Escape closes (the combobox pattern of ARIA). */
export function SuggestingInput(props: SuggestingInputProps) {
  const { label, value, onInput, onCommit, suggestions, note, hint, error, takesFirst = false } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const isShown = isOpen && (suggestions.length > 0 || note !== undefined);

  useCombobox(input, list, { isShown, suggestions, takesFirst, value });

  const leave = () => {
    if (props.staysOpen !== true) setIsOpen(false);
    // The content below moves up when the list closes. That must not happen before a click on it is complete.
    else addEventListener('pointerup', () => setTimeout(closeUnlessBack), { once: true });
    props.onLeave?.();
  };
  const closeUnlessBack = () => {
    if (document.activeElement !== input.current) setIsOpen(false);
  };
  const commit = (text: string) => {
    if (props.staysOpen !== true) setIsOpen(false);
    onCommit(text);
  };
  return (
    <div class="field suggesting" data-open={isShown} data-stays-open={props.staysOpen === true}>
      <label for={id}>{label}</label>
      <div class="suggesting-box">
        <input
          ref={input}
          id={id}
          class={props.inputClass}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-describedby={(error ?? hint) === undefined ? undefined : `${id}-note`}
          aria-invalid={error !== undefined}
          aria-busy={props.isBusy === true}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder={props.placeholder}
          value={value}
          onInput={(event) => {
            setIsOpen(true);
            onInput(event.currentTarget.value);
          }}
          onFocus={() => setIsOpen(true)}
          onBlur={leave}
          onKeyDown={(event) => handleKey(event, { list, isShown, setIsOpen, commit: () => commit(value) })}
        />
        {/* biome-ignore lint/a11y/noStaticElementInteractions: nothing happens; the field keeps the focus */}
        <div
          class="suggestions"
          hidden={!isShown}
          // Otherwise the Tab key stops at a scrolling box, and this one would be gone by then.
          tabIndex={-1}
          // Keeps the focus in the field. Otherwise the list would close before the click arrives.
          onMouseDown={(event) => event.preventDefault()}
        >
          <div ref={list} id={`${id}-list`} role="listbox" aria-label={`${label}: suggestions`}>
            <Options id={id} suggestions={suggestions} />
          </div>
          {note !== undefined && <p class="suggestions-note">{note}</p>}
        </div>
      </div>
      <FieldNote id={id} hint={hint} error={error} />
      <CommitListener list={list} onCommit={commit} />
    </div>
  );
}

type Shown = Required<Pick<SuggestingInputProps, 'suggestions' | 'takesFirst' | 'value'>> & { isShown: boolean };

/** Lets the arrow keys choose among the shown suggestions. */
function useCombobox(
  input: { readonly current: HTMLInputElement | null },
  list: { readonly current: HTMLDivElement | null },
  { isShown, suggestions, takesFirst, value }: Shown,
): void {
  const combobox = useRef<Combobox>(undefined);
  useLayoutEffect(() => {
    if (input.current === null || list.current === null) return;
    const made = new Combobox(input.current, list.current, { tabInsertsSuggestions: false });
    combobox.current = made;
    return () => made.destroy();
  }, []);
  // If the same suggestions come in a new array, the choice of the arrow keys must stay.
  const shownValues = suggestions.map(({ value, disabled }) => `${disabled === true ? '-' : '+'}${value}`).join('\0');
  // Runs at once, so that Enter directly after the rendering takes the first suggestion; and after each typed letter,
  // which resets the choice.
  useLayoutEffect(() => {
    if (combobox.current === undefined) return;
    combobox.current.stop();
    combobox.current.firstOptionSelectionMode = takesFirst ? 'active' : 'none';
    if (isShown) combobox.current.start();
  }, [isShown, shownValues, takesFirst, value]);
}

type KeyDeeds = {
  list: { readonly current: HTMLDivElement | null };
  isShown: boolean;
  setIsOpen: (isOpen: boolean) => void;
  commit: () => void;
};

/** The keys that open and close the list, and when Enter accepts the text itself. */
function handleKey(event: KeyboardEvent, { list, isShown, setIsOpen, commit }: KeyDeeds): void {
  if (event.key === 'Escape' && isShown) {
    event.stopPropagation();
    setIsOpen(false);
  }
  if (event.key === 'Tab') setIsOpen(false);
  if (event.key === 'ArrowDown' && !isShown) setIsOpen(true);
  const chosen = '[aria-selected="true"], [data-combobox-option-default="true"]';
  const isChosen = list.current?.querySelector(chosen) !== null;
  if (event.key === 'Enter' && !event.isComposing && !(isShown && isChosen)) {
    event.preventDefault();
    commit();
  }
}

function Options({ id, suggestions }: { id: string; suggestions: readonly Suggestion[] }) {
  return suggestions.map((suggestion, index) => (
    <div
      key={suggestion.value}
      id={`${id}-${index}`}
      role="option"
      tabIndex={-1}
      aria-disabled={suggestion.disabled === true ? true : undefined}
      data-value={suggestion.value}
    >
      <span>{suggestion.label ?? suggestion.value}</span>
      {suggestion.detail !== undefined && <span class="suggestion-detail">{suggestion.detail}</span>}
    </div>
  ));
}

type CommitListenerProps = {
  list: { current: HTMLDivElement | null };
  onCommit: (value: string) => void;
};

/** Listens to the library's own event for a choice. */
function CommitListener({ list, onCommit }: CommitListenerProps) {
  const latest = useRef(onCommit);
  latest.current = onCommit;
  useEffect(() => {
    const element = list.current;
    const hear = (event: Event) => {
      const { value } = (event.target as HTMLElement).dataset;
      if (value !== undefined) latest.current(value);
    };
    element?.addEventListener('combobox-commit', hear);
    return () => element?.removeEventListener('combobox-commit', hear);
  }, [list]);
  return null;
}

import Combobox from '@github/combobox-nav';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

export type Suggestion = { value: string; label?: ComponentChildren; detail?: ComponentChildren; disabled?: boolean };

type SuggestingInputProps = {
  label: string;
  /** The label is only for screen readers. */
  isLabelHidden?: boolean;
  placeholder?: string;
  value: string;
  onInput: (text: string) => void;
  /** A suggestion was taken, or the text as it is with Enter. */
  onCommit: (value: string) => void;
  suggestions: readonly Suggestion[];
  /** Under the list when it is open: how many there are more, what to type. */
  note?: ComponentChildren;
  hint?: ComponentChildren;
  error?: string;
  isBusy?: boolean;
  /** Takes the first suggestion with Enter, rather than the text. */
  takesFirst?: boolean;
  /** The list stays when something was taken, for the next one. It then stands between the field and what follows. */
  staysOpen?: boolean;
  /** The field is left; what was typed was not taken. */
  onLeave?: () => void;
  inputClass?: string;
};

/** A text field that suggests: arrow keys choose, Enter takes, Escape closes (the combobox pattern of ARIA). */
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
    // What stands below moves up when the list closes, and must not before a click on it is done.
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
  const shownNote = error ?? hint;
  return (
    <div class="field suggesting" data-open={isShown} data-stays-open={props.staysOpen === true}>
      <label for={id} class={props.isLabelHidden === true ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <div class="suggesting-box">
        <input
          ref={input}
          id={id}
          class={props.inputClass}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-describedby={shownNote === undefined ? undefined : `${id}-note`}
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
          // A box that scrolls is a stop of the Tab key otherwise, and would be gone when it is reached.
          tabIndex={-1}
          // Keeps the focus in the field, which would close the list before the click is seen.
          onMouseDown={(event) => event.preventDefault()}
        >
          <div ref={list} id={`${id}-list`} role="listbox" aria-label={`${label}: suggestions`}>
            <Options id={id} suggestions={suggestions} />
          </div>
          {note !== undefined && <p class="suggestions-note">{note}</p>}
        </div>
      </div>
      {shownNote !== undefined && (
        <p id={`${id}-note`} class={error === undefined ? 'field-hint' : 'field-error'}>
          {shownNote}
        </p>
      )}
      <CommitListener list={list} onCommit={commit} />
    </div>
  );
}

type Shown = Required<Pick<SuggestingInputProps, 'suggestions' | 'takesFirst' | 'value'>> & { isShown: boolean };

/** What the arrow keys choose, which follows what is shown. */
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
  // The same suggestions in a new array must not lose what was chosen of them with the arrow keys.
  const shownValues = suggestions.map(({ value, disabled }) => `${disabled === true ? '-' : '+'}${value}`).join('\0');
  // At once, so that Enter right after the drawing takes the first; and after each letter, which chooses nothing.
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

/** Which keys open and close the list, and when Enter takes the text as it is. */
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
      <span class="suggestion-label">{suggestion.label ?? suggestion.value}</span>
      {suggestion.detail !== undefined && <span class="suggestion-detail">{suggestion.detail}</span>}
    </div>
  ));
}

/** Hears the library's own event of a choice. */
function CommitListener({
  list,
  onCommit,
}: {
  list: { current: HTMLDivElement | null };
  onCommit: (value: string) => void;
}) {
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

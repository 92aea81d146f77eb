import { X } from 'lucide';
import { useState } from 'preact/hooks';
import { visibleText } from '../../../texts/visible-text.ts';
import { IconButton } from '../../elements/button.tsx';
import { SuggestingInput, type Suggestion } from '../../elements/suggesting-input.tsx';
import { Name } from '../../elements/text.tsx';
import { notify } from '../../elements/toasts.tsx';
import { route, setParams } from '../../route.ts';

type ChipFieldProps = {
  label: string;
  placeholder: string;
  /** The repeated parameter of the address that holds the values. */
  param: string;
  /** The suggestions for the typed text. */
  suggest: (typed: string) => readonly Suggestion[];
  /** Called with the typed text, so that the caller can request suggestions for it. */
  onType?: (typed: string) => void;
  note: string;
  /** Why the value at this index cannot be used. */
  errorOf: (index: number) => string | undefined;
  /** A hint about the value at this index. */
  hintOf?: (index: number) => string | undefined;
  /** The notification text before a removed value. */
  removed: string;
  isMainField?: boolean;
};

const most = 256;

/** Several values. The user types to add one, sees each as a chip, and removes it with its cross. */
export function ChipField(props: ChipFieldProps) {
  const { label, param, suggest, onType, errorOf, hintOf } = props;
  const [typed, setTyped] = useState('');
  const values = route.value.params.getAll(param);
  const type = (text: string) => {
    setTyped(text);
    onType?.(text);
  };
  const add = (text: string) => {
    const value = text.trim();
    if (value === '' || values.length >= most) return;
    type('');
    if (!values.includes(value)) setParams({ [param]: [...values, value] });
  };
  const remove = (value: string) => {
    setParams({ [param]: values.filter((each) => each !== value) });
    notify(`${props.removed} ${visibleText(value)}`, async () => setParams({ [param]: values }));
  };
  const error = values.map((_, index) => errorOf(index)).find((each) => each !== undefined);
  const hint = values.map((_, index) => hintOf?.(index)).find((each) => each !== undefined);
  return (
    <div data-main-field={props.isMainField === true ? true : undefined}>
      <SuggestingInput
        label={label}
        placeholder={values.length >= most ? `At most ${most}` : props.placeholder}
        inputClass="mono"
        value={typed}
        onInput={type}
        onCommit={add}
        suggestions={suggest(typed.trim().toLowerCase()).filter(({ value }) => !values.includes(value))}
        note={typed === '' ? props.note : undefined}
        error={error}
        hint={hint}
      />
      {values.length > 0 && (
        <ul class="workspace-chips" aria-label={label}>
          {values.map((value, index) => (
            <li key={value} class="workspace-chip" data-bad={(errorOf(index) ?? hintOf?.(index)) !== undefined}>
              <span class="workspace-chip-text mono" title={visibleText(value)}>
                <Name>{value}</Name>
              </span>
              <IconButton icon={X} label={`Remove ${visibleText(value)}`} onClick={() => remove(value)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

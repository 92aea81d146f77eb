import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type FieldProps = {
  label: string;
  hint?: ComponentChildren;
  error?: string;
  children: (ids: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ComponentChildren;
};

/** A label above its field, with a hint or an error below. `children` gets the ids to use. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': (error ?? hint) === undefined ? undefined : `${id}-note`,
        'aria-invalid': error !== undefined,
      })}
      <FieldNote id={id} hint={hint} error={error} />
    </div>
  );
}

/** The hint or the error below the field with this id. */
export function FieldNote({ id, hint, error }: Pick<FieldProps, 'hint' | 'error'> & { id: string }) {
  const note = error ?? hint;
  if (note === undefined) return null;
  return (
    <p id={`${id}-note`} class={error === undefined ? 'field-hint' : 'field-error'}>
      {note}
    </p>
  );
}

type Options<Value extends string = string> = readonly { value: Value; label: string; title?: string }[];

type SelectFieldProps = {
  label: string;
  hint?: ComponentChildren;
  value: string;
  options: Options;
  onChange: (value: string) => void;
};

/** A choice between any number of options. */
export function SelectField({ label, hint, value, options, onChange }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Fields that are sent together. The browser itself sends nothing. */
export function Form(props: { class?: string; onSubmit: () => void; children: ComponentChildren }) {
  return (
    <form
      class={props.class}
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      {props.children}
    </form>
  );
}

type SegmentedProps<Value extends string> = {
  label: string;
  value: Value;
  options: Options<Value>;
  onChange: (value: Value) => void;
};

/** A choice between a few visible options: radio buttons that look like one control. */
export function Segmented<Value extends string>({ label, value, options, onChange }: SegmentedProps<Value>) {
  const name = useId();
  return (
    <fieldset class="segmented">
      <legend>{label}</legend>
      <div class="segmented-options">
        {options.map((option) => (
          <label key={option.value} title={option.title}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

type SliderProps = {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  onChange: (value: number) => void;
  show?: (value: number) => string;
};

/** A slider for a number, with the number beside it. */
export function Slider({ label, value, min, max, step, onChange, show = String }: SliderProps) {
  const id = useId();
  return (
    <div class="slider">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
      <output for={id}>{show(value)}</output>
    </div>
  );
}

type ToggleProps = {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
};

/** A checkbox whose change takes effect at once. */
export function Toggle({ label, checked, onChange }: ToggleProps) {
  return (
    <label class="toggle">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** A switch that shows a state. A click calls `onClick`, and does not change the switch by itself. */
export function Switch(props: { label: string; checked: boolean; disabled?: boolean; onClick: () => void }) {
  const { label, checked, disabled = false, onClick } = props;
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={checked}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <span class="switch-knob" />
    </button>
  );
}

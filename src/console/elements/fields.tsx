import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A label above its field, with a hint or an error below. `children` gets the ids to use. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: ComponentChildren;
  error?: string;
  children: (ids: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ComponentChildren;
}) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': error !== undefined,
      })}
      {note !== undefined && (
        <p id={`${id}-note`} class={error === undefined ? 'field-hint' : 'field-error'}>
          {note}
        </p>
      )}
    </div>
  );
}

/** A choice between a few visible options: radio buttons that look like one control. */
export function Segmented<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string; title?: string }[];
  onChange: (value: Value) => void;
}) {
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

/** A slider for a number, with the number beside it. */
export function Slider({
  label,
  value,
  min,
  max,
  step,
  onChange,
  show = String,
}: {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  onChange: (value: number) => void;
  show?: (value: number) => string;
}) {
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

/** A checkbox whose change takes effect at once. */
export function Toggle({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
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

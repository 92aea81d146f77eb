/** The arguments of a call: a field for each if the schema is simple, otherwise JSON. */
import { visibleText } from '../../../texts/visible-text.ts';
import { Field } from '../../elements/fields.tsx';
import type { FieldSpec, FieldTexts } from './json-schema.ts';

type FormProps = {
  fields: readonly FieldSpec[];
  texts: FieldTexts;
  /** By name of the field. */
  errors: Readonly<Record<string, string>>;
  onChange: (name: string, text: string) => void;
};

export function ArgumentFields({ fields, texts, errors, onChange }: FormProps) {
  if (fields.length === 0) return <p class="faint">The tool takes no arguments.</p>;
  return (
    <>
      {fields.map((field) => {
        const { name } = field;
        const error = errors[name];
        const label = `${visibleText(name)}${field.isRequired ? ' *' : ''}`;
        return (
          <Field key={name} label={label} hint={hintOf(field)} error={error}>
            {(ids) => (
              <Control field={field} ids={ids} text={texts[name] ?? ''} onInput={(text) => onChange(name, text)} />
            )}
          </Field>
        );
      })}
    </>
  );
}

const howToWrite: Partial<Record<FieldSpec['kind'], string>> = { list: ', one per line', json: ', as JSON' };

function hintOf({ kind, type, description }: FieldSpec): string {
  const how = type + (howToWrite[kind] ?? '');
  const said = visibleText(description.length > 400 ? `${description.slice(0, 400)}…` : description);
  return said === '' ? visibleText(how) : `${said} (${visibleText(how)})`;
}

type ControlProps = {
  field: FieldSpec;
  ids: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean };
  text: string;
  onInput: (text: string) => void;
};

function Control({ field: { kind, choices, isRequired }, ids, text, onInput }: ControlProps) {
  if (kind === 'boolean' || kind === 'choice') {
    const options =
      kind === 'boolean'
        ? [
            ['true', 'true'],
            ['false', 'false'],
          ]
        : choices.map((choice, index) => [
            String(index),
            visibleText(typeof choice === 'string' ? choice : JSON.stringify(choice)),
          ]);
    return (
      <select {...ids} value={text} onChange={(event) => onInput(event.currentTarget.value)}>
        <option value="">{isRequired ? 'Choose …' : 'not given'}</option>
        {options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'number' || kind === 'integer')
    return (
      <input
        {...ids}
        type="text"
        inputMode={kind === 'number' ? 'decimal' : 'numeric'}
        autocomplete="off"
        value={text}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    );
  const lines = text.split('\n').length;
  return (
    <textarea
      {...ids}
      class={kind === 'text' ? undefined : 'mono'}
      rows={kind === 'text' ? Math.min(8, lines) : Math.min(10, Math.max(3, lines))}
      spellcheck={false}
      value={text}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

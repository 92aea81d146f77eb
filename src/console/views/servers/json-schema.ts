/**
 * Turns JSON Schemas of tools into forms and into readable lines. The schemas come from strangers: they may contain
 * anything.
 */
import { isRecord } from '../../../texts/is-record.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'list' | 'json';

/** One argument of a tool. */
export type FieldSpec = {
  name: string;
  kind: FieldKind;
  isRequired: boolean;
  description: string;
  /** The type and its limits in words: `string, 3 to 10 characters`. */
  type: string;
  choices: readonly unknown[];
  default: unknown;
};

const maxFields = 100;

/** The arguments that a schema names. Empty when it names none, or names them in a way that a form cannot show. */
export function fieldsOf(schema: JsonObject): FieldSpec[] {
  const { properties } = schema;
  if (!isRecord(properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties)
    .slice(0, maxFields)
    .map(([name, property]) => {
      const said = isRecord(property) ? property : {};
      const inner = withoutNull(said);
      const description = [said.title, said.description].find((text) => typeof text === 'string') as string | undefined;
      return {
        name,
        kind: kindOf(inner),
        isRequired: required.includes(name),
        description: typeof said.description === 'string' ? said.description : (description ?? ''),
        type: wordsOfSchema(said),
        choices: Array.isArray(inner.enum) ? inner.enum : [],
        default: said.default,
      };
    });
}

/** Whether a form can show everything that the schema requires. */
export function isPlain(schema: JsonObject): boolean {
  const { properties } = schema;
  const isSmall = !isRecord(properties) || Object.keys(properties).length <= maxFields;
  return isSmall && !['$ref', 'anyOf', 'oneOf', 'allOf', 'patternProperties'].some((key) => key in schema);
}

/** Reduces `X or null` to `X`. */
function withoutNull(schema: JsonObject): JsonObject {
  for (const key of ['anyOf', 'oneOf'] as const) {
    const several = schema[key];
    if (!Array.isArray(several)) continue;
    const others = several.filter((each) => !(isRecord(each) && each.type === 'null'));
    if (others.length === 1 && isRecord(others[0])) return others[0];
  }
  if (Array.isArray(schema.type)) {
    const others = schema.type.filter((type) => type !== 'null');
    if (others.length === 1) return { ...schema, type: others[0] };
  }
  return schema;
}

function kindOf(schema: JsonObject): FieldKind {
  if (Array.isArray(schema.enum)) return 'choice';
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
    case 'boolean':
      return schema.type;
    case 'array':
      return isRecord(schema.items) && schema.items.type === 'string' && !('enum' in schema.items) ? 'list' : 'json';
    default:
      return 'json';
  }
}

/** Describes a schema in a few words. */
export function wordsOfSchema(schema: unknown, depth = 0): string {
  if (!isRecord(schema)) return 'anything';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum))
    return schema.enum
      .slice(0, 12)
      .map((each) => JSON.stringify(each))
      .join(' | ');
  for (const key of ['anyOf', 'oneOf'] as const) {
    const several = schema[key];
    if (Array.isArray(several) && depth < 3)
      return several
        .slice(0, 6)
        .map((each) => wordsOfSchema(each, depth + 1))
        .join(' or ');
  }
  if (typeof schema.$ref === 'string') return schema.$ref;
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type;
  if (typeof type !== 'string') return 'anything';
  if (type === 'array' && depth < 3) return `list of ${wordsOfSchema(schema.items, depth + 1)}`;
  const limits = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    typeof schema.format === 'string' ? schema.format : undefined,
    typeof schema.pattern === 'string' ? `like ${schema.pattern}` : undefined,
  ].filter((limit) => limit !== undefined);
  return [type, ...limits].join(', ');
}

function range(least: unknown, most: unknown, unit: string): string | undefined {
  if (typeof least === 'number' && typeof most === 'number') return `${least} to ${most}${unit}`;
  if (typeof least === 'number') return `at least ${least}${unit}`;
  if (typeof most === 'number') return `at most ${most}${unit}`;
  return undefined;
}

/** The text typed into each field. */
export type FieldTexts = Readonly<Record<string, string>>;

/** The arguments that the typed texts stand for, without empty fields. `errors` has an entry per faulty field name. */
export function readFields(
  fields: readonly FieldSpec[],
  texts: FieldTexts,
): { values: Record<string, unknown>; errors: Record<string, string> } {
  const values: [string, unknown][] = [];
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const text = texts[field.name] ?? '';
    if (text === '') {
      if (field.isRequired) errors[field.name] = 'Required.';
      continue;
    }
    const read = readField(field, text);
    if ('error' in read) errors[field.name] = read.error;
    else values.push([field.name, read.value]);
  }
  return { values: Object.fromEntries(values), errors };
}

function readField({ kind, choices }: FieldSpec, text: string): { value: unknown } | { error: string } {
  switch (kind) {
    case 'text':
      return { value: text };
    case 'number':
    case 'integer': {
      const value = Number(text);
      if (text.trim() === '' || !Number.isFinite(value)) return { error: 'Must be a number.' };
      return kind === 'integer' && !Number.isInteger(value) ? { error: 'Must be a whole number.' } : { value };
    }
    case 'boolean':
      return { value: text === 'true' };
    case 'choice':
      return { value: choices[Number(text)] };
    case 'list':
      return { value: text.replace(/\n$/u, '').split('\n') };
    case 'json':
      return readJson(text);
  }
}

export function readJson(text: string): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: `Not valid JSON. ${error instanceof Error ? error.message : ''}` };
  }
}

/** The reverse of `readFields`: the text of each field for these arguments. */
export function textsOf(fields: readonly FieldSpec[], values: JsonObject): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field) => (field.name in values ? [[field.name, textOf(field, values[field.name])]] : [])),
  );
}

function textOf({ kind, choices }: FieldSpec, value: unknown): string {
  switch (kind) {
    case 'choice': {
      const at = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value));
      return at < 0 ? '' : String(at);
    }
    case 'list':
      return Array.isArray(value) ? value.join('\n') : '';
    case 'json':
      return JSON.stringify(value, null, 2);
    default:
      return String(value);
  }
}

/** The texts a form starts with: the defaults of the schema. */
export function defaultTexts(fields: readonly FieldSpec[]): Record<string, string> {
  const defaults = fields.filter((field) => field.default !== undefined && field.default !== null);
  return textsOf(fields, Object.fromEntries(defaults.map((field) => [field.name, field.default])));
}

/** Unions in a form that client generators understand: with a discriminator, and with `null` as one more type (AN-06). */
import type { Schemas } from './components.ts';

type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
};

/** Changes all schemas of a document in place. */
export function shapeUnions(document: { components: { schemas: Schemas } }): void {
  const schemas = document.components.schemas as Record<string, Schema>;
  const named = ({ $ref = '' }: Schema): Schema | undefined => schemas[$ref.split('/').at(-1) as string];
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    for (const [key, child] of Object.entries(part)) if (!key.startsWith('example')) visit(child);
    const schema = part as Schema;
    if (schema.oneOf && schema.discriminator) addMapping(schema, named);
    if (Array.isArray(schema.anyOf)) mergeTypes(schema);
  };
  visit(document);
}

/** Maps each value of the discriminator to its schema, so that a reader need not try all members of the union. */
function addMapping({ oneOf = [], discriminator }: Schema, named: (schema: Schema) => Schema | undefined): void {
  if (discriminator === undefined) return;
  const pairs = oneOf.flatMap((member) => {
    const property = named(member)?.properties?.[discriminator.propertyName] ?? {};
    // The values must be in the property itself: some generators do not follow a reference.
    if (property.$ref !== undefined) {
      Object.assign(property, { ...named(property), ...property });
      delete property.$ref;
    }
    const { const: only, enum: values = [only] } = property;
    return values.map((value) => [String(value), member.$ref as string] as const);
  });
  discriminator.mapping = Object.fromEntries(pairs);
}

/** An `anyOf` of different types becomes a list of types, if at most one member says more than its type. Also for `null`. */
function mergeTypes(schema: Schema): void {
  const members = schema.anyOf ?? [];
  const types = members.map(({ type }) => type);
  const [detailed, ...others] = members.filter((member) => Object.keys(member).some((key) => key !== 'type'));
  const areDifferent = types.every((type) => typeof type === 'string') && new Set(types).size === types.length;
  const isNullable = types.length === 2 && types.includes('null');
  if (!areDifferent || others.length > 0 || !(isNullable || types.every(isScalar))) return;
  delete schema.anyOf;
  Object.assign(schema, { ...detailed, ...schema, type: types });
  if (schema.enum && types.includes('null')) schema.enum = [...schema.enum, null];
}

function isScalar(type: unknown): boolean {
  return ['string', 'number', 'integer', 'boolean', 'null'].includes(type as string);
}

/** The schemas of the OpenAPI document as types of TypeScript, for `clients/typescript/`. */

type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  description?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
};

/** A module with an exported type for each schema of a document. */
export function clientTypes(document: { components: { schemas: Record<string, unknown> } }): string {
  const types = Object.entries(document.components.schemas as Record<string, Schema>).map(
    ([name, schema]) => `${comment(schema)}export type ${name} = ${typeOf(schema)};\n`,
  );
  return ['// "npm run openapi" writes this from the OpenAPI document.\n', ...types].join('\n');
}

function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) as string;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const members = schema.oneOf ?? schema.anyOf;
  if (members !== undefined) return members.map((member) => typeOf(member, indent)).join(' | ');
  const types = [schema.type ?? []].flat().map((type) => {
    if (type === 'array') return `Array<${typeOf(schema.items ?? {}, indent)}>`;
    if (type === 'object') return objectType(schema, indent);
    return type === 'integer' ? 'number' : type;
  });
  return types.join(' | ') || 'unknown';
}

function objectType({ properties, required = [], additionalProperties: more, propertyNames }: Schema, indent: string) {
  if (properties === undefined) {
    const keys = typeOf(propertyNames ?? {});
    const record = `Record<${keys === 'unknown' ? 'string' : keys}, ${typeOf(typeof more === 'object' ? more : {}, indent)}>`;
    return keys === 'string' || keys === 'unknown' ? record : `Partial<${record}>`;
  }
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const key = /^[A-Za-z_$][\w$]*$/u.test(name) ? name : JSON.stringify(name);
    const mark = required.includes(name) ? '' : '?';
    return `${comment(property, inner)}${inner}${key}${mark}: ${typeOf(property, inner)};\n`;
  });
  if (more !== undefined && more !== false) lines.push(`${inner}[name: string]: unknown;\n`);
  return `{\n${lines.join('')}${indent}}`;
}

function comment({ description }: Schema, indent = ''): string {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '* /')} */\n`;
}

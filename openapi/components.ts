/** Which schemas the document carries, and under which names. */

export type Schemas = Record<string, unknown>;

const prefix = '#/components/schemas/';

/**
 * The generator emits every schema twice, as `X` (in answers) and as `XInput` (in requests). Keeps those that are used;
 * an input gets the plain name unless the two are both used and differ.
 */
export function keepUsedSchemas<Document extends { components: { schemas: Schemas } }>(document: Document): Document {
  const { schemas } = document.components;
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    for (const name of referencedNames(part)) {
      if (used.has(name) || schemas[name] === undefined) continue;
      used.add(name);
      visit(schemas[name]);
    }
  };
  visit({ ...document, components: { ...document.components, schemas: undefined } });

  const newNames = new Map<string, string>();
  for (const name of used) {
    const plain = name.replace(/Input$/u, '');
    const isSame = !used.has(plain) || sameButForInput(schemas[plain], schemas[name]);
    newNames.set(name, plain !== name && plain in schemas && isSame ? plain : name);
  }
  const kept: Schemas = {};
  for (const name of [...used].sort()) kept[newNames.get(name) as string] = schemas[name];
  return renameReferences({ ...document, components: { ...document.components, schemas: kept } }, newNames);
}

function referencedNames(part: unknown): string[] {
  return [...JSON.stringify(part).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/gu)].map(
    (match) => match[1] as string,
  );
}

function sameButForInput(output: unknown, input: unknown): boolean {
  return (
    JSON.stringify(output) ===
    JSON.stringify(input).replaceAll(/("\$ref":"#\/components\/schemas\/[^"]+)Input"/gu, '$1"')
  );
}

function renameReferences<Document>(document: Document, newNames: ReadonlyMap<string, string>): Document {
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (key !== '$ref' || typeof value !== 'string' || !value.startsWith(prefix)) return value;
    const name = value.slice(prefix.length);
    return `${prefix}${newNames.get(name) ?? name}`;
  });
}

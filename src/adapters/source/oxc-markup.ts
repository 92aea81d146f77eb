/** What the markup of a component uses, of which no script says where it is from. */

/** `<BaseButton`, `<base-button`: no element of HTML has such a name. */
const componentTag = /<([A-Z][\w$]{0,100}|[a-z][a-z0-9]{0,50}(?:-[a-z0-9]{1,50}){1,9})/gu;
/** `format(` in markup. */
const callInMarkup = /(?<![\w$.])([A-Za-z_$][\w$]{0,100})\(/gu;

/** The components and functions of a component that it neither imports nor defines: its framework may do so. */
export function unknownNames(
  { called, declared, bindings }: { called: Set<string>; declared: Set<string>; bindings: Map<string, unknown> },
  markup: string,
): string[] {
  const inMarkup = [componentTag, callInMarkup].flatMap((use) =>
    [...markup.matchAll(use)].map(([, name = '']) => name),
  );
  const own = new Set([...declared, ...bindings.keys()]);
  // `<base-button>` is also what is imported as `BaseButton`.
  const tags = new Set([...own].map((name) => name.toLowerCase()));
  const isOwn = (name: string): boolean => own.has(name) || (name.includes('-') && tags.has(name.replaceAll('-', '')));
  return [...new Set([...inMarkup, ...called])].filter((name) => !isOwn(name));
}

/** Dart: directives with the names that are used, and definitions of libraries and their members (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { childrenOf, type Grammar, lineOf, onceForFile, type UsedNames } from './tree-sitter-grammar.ts';

/**
 * Forms: none for an import, `show` for one that lists its names, `prefix` for one with a prefix, `export`, `part`, and
 * `part-of` with the URI or the name of the library. Only `show` and `export` have names that are surely imported.
 * Others have those that the file uses: `name`, and `.name` for members, which can be those of an extension.
 */
export const dart: Grammar = {
  wasm: '@repomix/tree-sitter-wasms/out/tree-sitter-dart.wasm',
  query: `
    [(import_specification) (library_export) (part_directive) (part_of_directive)] @import
    ((class_definition name: (identifier) @name) @definition (#set! kind "type"))
    ((class_definition (mixin_application_class . (identifier) @name)) @definition)
    ((mixin_declaration (identifier) @name (class_body) @body) @definition (#set! kind "type"))
    ((extension_declaration name: (identifier) @name) @definition (#set! kind "type"))
    ((extension_declaration "extension" . (type_parameters)? . "on" . class: (_) @name) @definition (#set! kind "type"))
    ((extension_type_declaration name: (identifier) @name) @definition (#set! kind "type"))
    ((enum_declaration name: (identifier) @name) @definition (#set! kind "type"))
    (type_alias (type_identifier) @name . (type_parameters)? . ["=" (formal_parameter_list)]) @definition
    (program [(function_signature name: (identifier) @name)
      (getter_signature name: (identifier) @name)
      (setter_signature name: (identifier) @name)] @definition)
    (program [(function_signature name: (identifier) @name)
      (getter_signature name: (identifier) @name)
      (setter_signature name: (identifier) @name)] @definition . (function_body) @body)
    ((program [(initialized_identifier_list (initialized_identifier . (identifier) @name))
      (static_final_declaration_list (static_final_declaration . (identifier) @name))] @definition)
      (#set! begins "line"))
    (method_signature [(function_signature name: (identifier) @name)
      (getter_signature name: (identifier) @name)
      (setter_signature name: (identifier) @name)
      (constructor_signature . name: (identifier) @name)
      (factory_constructor_signature . (identifier) @name)]) @definition
    ((method_signature [(function_signature name: (identifier) @name)
      (getter_signature name: (identifier) @name)
      (setter_signature name: (identifier) @name)
      (constructor_signature . name: (identifier) @name)
      (factory_constructor_signature . (identifier) @name)]) @definition . (function_body) @body)
    (declaration [(function_signature name: (identifier) @name)
      (getter_signature name: (identifier) @name)
      (setter_signature name: (identifier) @name)
      (constructor_signature . name: (identifier) @name)
      (constant_constructor_signature . (const_builtin) . (identifier) @name)
      (redirecting_factory_constructor_signature . (const_builtin)? . (identifier) @name)
      (initialized_identifier_list (initialized_identifier . (identifier) @name))
      (static_final_declaration_list (static_final_declaration . (identifier) @name))]) @definition
    (enum_constant name: (identifier) @name) @definition
    [(identifier) (type_identifier) (identifier_dollar_escaped)] @used
    (_ [(identifier) (type_identifier)] @qualifier . (selector (unconditional_assignable_selector (identifier) @used)))
    (_ [(identifier) (type_identifier)] @qualifier . "." . [(identifier) (type_identifier)] @used)
    ([(unconditional_assignable_selector (identifier) @used)
      (conditional_assignable_selector (identifier) @used)
      (cascade_selector (identifier) @used)] (#set! of "."))
    (unconditional_assignable_selector (identifier) @unused)
    (conditional_assignable_selector (identifier) @unused)
    (cascade_selector (identifier) @unused)
    (label (identifier) @unused)
    (dotted_identifier_list (identifier) @unused)
    (combinator (identifier) @unused)
    (import_specification (identifier) @unused)
    (formal_parameter name: (identifier) @unused)
    (constructor_param (identifier) @unused)
    (super_formal_parameter (identifier) @unused)
    (initialized_variable_definition name: (identifier) @unused)
    (initialized_identifier . (identifier) @unused)
    (static_final_declaration . (identifier) @unused)
    (function_signature name: (identifier) @unused)
    (getter_signature name: (identifier) @unused)
    (setter_signature name: (identifier) @unused)
    (field_initializer . (identifier) @unused)
    (catch_parameters (identifier) @unused)
    (enum_constant name: (identifier) @unused)
    [(documentation_comment) (comment) (annotation)] @preceding`,
  prepare: withoutShorthands,
  readImport(node, used): ImportStatement[] {
    const line = lineOf(node);
    if (node.type === 'part_of_directive') {
      const name = childrenOf(node).find(({ type }) => type === 'dotted_identifier_list')?.text;
      const specifier = name ?? readUris(node)[0] ?? '';
      return specifier === '' ? [] : [{ specifier, names: allNames(used), line, form: 'part-of' }];
    }
    const uris = readUris(node);
    if (node.type === 'part_directive')
      return uris.map((specifier) => ({ specifier, names: allNames(used), line, form: 'part' }));
    const shown = combined(node, 'show');
    if (node.type === 'library_export')
      return uris.map((specifier) => ({ specifier, names: shown, line, form: 'export' }));
    if (shown.length > 0) return uris.map((specifier) => ({ specifier, names: shown, line, form: 'show' }));
    const prefix = childrenOf(node).find(({ type }) => type === 'identifier')?.text;
    const hidden = new Set(combined(node, 'hide'));
    const visible = prefix === undefined ? allNames(used) : [...used(prefix), ...memberNames(used)];
    const names = hidden.size === 0 ? visible : visible.filter((name) => !hidden.has(name));
    return uris.map((specifier) => ({ specifier, names, line, ...(prefix !== undefined && { form: 'prefix' }) }));
  },
  readName(name, definition) {
    if (definition.type === 'extension_declaration') return nameOfExtension(name, definition);
    const owner = ownerOf(definition);
    if (owner === undefined) return name.text;
    const own = constructors.has(name.parent?.type ?? '') ? constructorName(name) : name.text;
    return /(?:^|\.)_/u.test(own) ? undefined : own;
  },
  findGroup(definition) {
    const owner = ownerOf(definition);
    return owner?.type === 'extension_declaration' && definition.parent
      ? { node: owner, list: definition.parent }
      : undefined;
  },
};

/**
 * `.center` for `Alignment.center`, which the grammar does not know, becomes a name. It is private, so that it is not
 * looked for.
 */
function withoutShorthands(text: string): string {
  return text.replaceAll(/\.(?=[a-z])/gu, (dot, at: number) => (isShorthand(text, at) ? '_' : dot));
}

/** A longer gap is no code. */
const longestGap = 200;

/** Whether a dot begins an expression, by what comes before it. */
function isShorthand(text: string, dot: number): boolean {
  const gap = text.slice(Math.max(0, dot - longestGap), dot);
  const before = gap.trimEnd();
  const last = before.slice(-1);
  // `a?.b`, but `a ? .b : .c`
  if (last === '?') return before !== gap;
  return /[(,:=[{&|]/u.test(last) || before.endsWith('=>') || /\b(?:return|const|case)$/u.test(before.slice(-7));
}

const memberNames = onceForFile((used) => used('.').map((name) => `.${name}`));
const allNames = onceForFile((used: UsedNames) => [...used(''), ...memberNames(used)]);

/** The default URI first, then those of a platform. */
function readUris(node: Node): string[] {
  const found = node.descendantsOfType('uri').map((uri) => /["']([^"']+)/u.exec(uri?.text ?? '')?.[1] ?? '');
  return found.filter((uri) => uri !== '' && !uri.includes('$'));
}

/** The names of all `show` or `hide` of a directive. */
function combined(node: Node, word: 'show' | 'hide'): string[] {
  const lists = childrenOf(node).filter(({ type, firstChild }) => type === 'combinator' && firstChild?.type === word);
  return lists.flatMap((list) => childrenOf(list).map(({ text }) => text));
}

/** An extension without a name is called by what it extends. */
function nameOfExtension({ text }: Node, definition: Node): string {
  return definition.childForFieldName('name') === null ? `extension on ${text}` : text;
}

const constructors = new Set([
  'constructor_signature',
  'constant_constructor_signature',
  'factory_constructor_signature',
  'redirecting_factory_constructor_signature',
]);

/** `A` or `A.named`. */
function constructorName(name: Node): string {
  const second = name.nextSibling?.type === '.' ? name.nextNamedSibling : undefined;
  return second ? `${name.text}.${second.text}` : name.text;
}

/** The class or extension of a member. */
function ownerOf(definition: Node): Node | undefined {
  const body = definition.parent;
  return body !== null && /^(?:class|enum|extension)_body$/u.test(body.type) ? (body.parent ?? undefined) : undefined;
}

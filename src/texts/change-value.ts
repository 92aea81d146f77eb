/** One value of a JSON or YAML text, changed with everything else as it is written. */
import { applyEdits, modify } from 'jsonc-parser';
import { parseDocument } from 'yaml';

type Path = readonly string[];

/** `text` is JSON that was read before. */
export function changeJsonValue(text: string, path: Path, value: unknown): string {
  const tabSize = /^( +)"/mu.exec(text)?.[1]?.length ?? 2;
  const formattingOptions = { tabSize, insertSpaces: !/^\t/mu.test(text), eol: text.includes('\r\n') ? '\r\n' : '\n' };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}

/** `text` is YAML that was read before, so that it is within the limits. */
export function changeYamlValue(text: string, path: Path, value: unknown): string {
  const isCrlf = text.includes('\r\n');
  const document = parseDocument(text.replaceAll('\r\n', '\n'), {
    ...{ version: '1.2', schema: 'core', merge: false, logLevel: 'silent' },
    ...{ uniqueKeys: false, prettyErrors: false },
  });
  document.setIn(path, value);
  const changed = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return isCrlf ? changed.replaceAll('\n', '\r\n') : changed;
}

/** Reads one key of a YAML file of another tool. The rest of the file is for others, and can be long. */
import { plainValue } from '../../texts/source-tree.ts';
import { parseForeignYaml } from '../../texts/yaml-source.ts';

/** The value of a key at the top of the file. Undefined if there is none. */
export function readYamlKey(text: string, key: string): unknown {
  const root = parseForeignYaml(blockOf(text, key))?.value;
  const node = root instanceof Map ? root.get(key)?.node : undefined;
  return node && plainValue(node, '', () => {});
}

/** The lines from the key to the next key of the same level. The whole text if no line begins with it. */
function blockOf(text: string, key: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => /^["']?([\w-]{1,100})["']?[ \t]{0,8}:/u.exec(line)?.[1] === key);
  if (first === -1) return text;
  const next = lines.findIndex((line, at) => at > first && /^[^\s#\]})-]/u.test(line));
  return lines.slice(first, next === -1 ? undefined : next).join('\n');
}

import { alwaysWhole, type RuleFormat } from './format.ts';
import { namesInJson } from './named-files.ts';

/** Names that tools based on opencode use in the same way. */
export function instructionsIn(...settings: readonly string[]): NonNullable<RuleFormat['named']> {
  return [{ in: 'every', settings, namesIn: namesInJson(['instructions']), patterns: true, read: alwaysWhole }];
}

export const opencode: RuleFormat = {
  name: 'opencode',
  tool: 'opencode',
  places: [],
  named: instructionsIn('opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'),
};

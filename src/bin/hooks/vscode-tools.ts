/** What tools of VS Code are about: VS Code calls the hooks of other tools, too (docs/decisions.md says how this is known). */
import { isRecord } from '../../texts/is-record.ts';
import { percentDecoded } from '../../texts/percent-decoded.ts';
import { filesOfPatches, type HookQuestion, namedBy, textsAt } from './hook-tool.ts';

const changingTools = [
  ...['apply_patch', 'create_directory', 'create_file', 'edit_files', 'edit_notebook_file', 'insert_edit_into_file'],
  ...['multi_replace_string_in_file', 'replace_string_in_file'],
];
const readingTools = [
  ...['get_errors', 'read_file', 'read_notebook_cell_output', 'run_notebook_cell', 'test_search', 'view_image'],
  'copilot_get_notebook_summary',
];
const folderTools = ['get_changed_files', 'list_dir', 'list_directory'];
/** Where a tool has the pattern of what it looks through; some look through all. */
const patternKeys: Readonly<Record<string, string>> = {
  ...{ file_search: 'query', grep_search: 'includePattern', text_search: 'includePattern' },
  ...{ semantic_search: '', codebase: '' },
};

type Paths = Pick<HookQuestion, 'files' | 'searched' | 'changes'>;

/** Undefined for a tool that is not known as one of VS Code. */
export function pathsOfVsCodeTool(name: string, input: unknown): Paths | undefined {
  // Documents write `readFile` where the tool is called `read_file`.
  const tool = name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  const changes = changingTools.includes(tool);
  if (changes || readingTools.includes(tool)) return { files: filesIn(input), searched: [], changes };
  if (folderTools.includes(tool)) {
    const [folder = '.'] = textsAt(input, ['path', 'repositoryPath']);
    return { files: [], searched: placesOfAddress(folder) };
  }
  const key = Object.hasOwn(patternKeys, tool) ? patternKeys[tool] : undefined;
  return key === undefined ? undefined : { files: [], searched: placesOfPatterns(textsAt(input, [key])) };
}

function filesIn(input: unknown): string[] {
  const { filePaths, files, replacements } = isRecord(input) ? input : {};
  const many = [filePaths, files, replacements].flat();
  const paths = many.flatMap((each) => (typeof each === 'string' ? [each] : textsAt(each, ['filePath'])));
  return [
    ...[...textsAt(input, ['filePath', 'dirPath', 'path']), ...paths].flatMap(placesOfAddress),
    ...filesOfPatches(input),
  ];
}

/** An address of any scheme can lead to a file of this system: by all that follows the scheme, or without the authority. */
function placesOfAddress(path: string): string[] {
  const colon = path.indexOf(':');
  if (colon < 0 || path.startsWith('/')) return [path];
  const [address = ''] = path.slice(colon + 1).split(/[?#]/u, 1);
  const place = address.split('/').map(percentDecoded).join('/');
  return place.startsWith('//') ? [path, place, place.slice(place.indexOf('/', 2))] : [path, place];
}

/**
 * All files, where no folder is named. A name alone can be that of a folder. VS Code puts two stars and a slash before a
 * pattern that begins with a name.
 */
function placesOfPatterns(patterns: readonly string[]): string[] {
  const begins = patterns.map((pattern) => (pattern.startsWith('**/') ? pattern.slice(3) : pattern));
  const { files, searched } = namedBy(begins, '.');
  const isInFolder = searched.length > 0 || files.some((path) => path.lastIndexOf('/') > 1);
  return isInFolder ? [...files, ...searched] : ['.', ...files];
}

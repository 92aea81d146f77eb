/** The paths that tools of VS Code use. VS Code also calls the hooks of other tools (source: docs/decisions.md). */
import { isRecord } from '../../texts/is-record.ts';
import { percentDecoded } from '../../texts/percent-decoded.ts';
import { filesOfPatches, namedBy, textsAt, type UsedPaths } from './hook-tool.ts';

const changingTools = [
  ...['apply_patch', 'create_directory', 'create_file', 'edit_files', 'edit_notebook_file', 'insert_edit_into_file'],
  ...['multi_replace_string_in_file', 'replace_string_in_file'],
];
const readingTools = [
  ...['get_errors', 'read_file', 'read_notebook_cell_output', 'run_notebook_cell', 'test_search', 'view_image'],
  'copilot_get_notebook_summary',
];
const folderTools = ['get_changed_files', 'list_dir', 'list_directory'];
/** The field with the pattern of the files that a tool searches. Empty: it searches all files. */
const patternKeys: Readonly<Record<string, string>> = {
  file_search: 'query',
  grep_search: 'includePattern',
  text_search: 'includePattern',
  semantic_search: '',
  codebase: '',
};

/** Returns `undefined` for an unknown tool. */
export function pathsOfVsCodeTool(name: string, input: unknown): UsedPaths | undefined {
  // The documentation calls the tool `read_file` `readFile`.
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

/** An address with any scheme can name a local file: by all that follows the scheme, or only by the path. */
function placesOfAddress(path: string): string[] {
  const colon = path.indexOf(':');
  if (colon < 0 || path.startsWith('/')) return [path];
  const [address = ''] = path.slice(colon + 1).split(/[?#]/u, 1);
  const place = address.split('/').map(percentDecoded).join('/');
  return place.startsWith('//') ? [path, place, place.slice(place.indexOf('/', 2))] : [path, place];
}

/**
 * If the patterns name no folder, all files are searched. A name alone can be the name of a folder. VS Code puts two
 * stars and a slash before a pattern that begins with a name.
 */
function placesOfPatterns(patterns: readonly string[]): string[] {
  const begins = patterns.map((pattern) => (pattern.startsWith('**/') ? pattern.slice(3) : pattern));
  const { files, searched } = namedBy(begins, '.');
  const isInFolder = searched.length > 0 || files.some((path) => path.lastIndexOf('/') > 1);
  return isInFolder ? [...files, ...searched] : ['.', ...files];
}

/** Checks the text of a context file (CC-24 … CC-30, S-65, AP-08). */
import { type ContextFileSource, readContextFile } from '../context/front-matter.ts';
import { namesOfKey } from '../context/front-matter-properties.ts';
import { fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import type { PlaceInFile } from './check-config.ts';
import { checkDelivered } from './check-text.ts';
import { placeInText } from './finish.ts';
import { frontMatterInTextFile, misfencedFrontMatter } from './front-matter-fence.ts';
import { globProblem } from './glob-syntax-checks.ts';
import { commentWarnings } from './html-comments.ts';
import { propertyWarnings, readWrittenKeys, type WrittenKeys } from './property-checks.ts';

export type CheckedContextFile = {
  warnings: Warning[];
  source: ContextFileSource;
  /** The globs of the file without mistakes, with their places. Empty if the globs are the default. */
  globs: { pattern: string; place: PlaceInFile }[];
  /** The place of the file's name. */
  namePlace?: PlaceInFile;
};

/**
 * Everything that the text alone shows. `content` is decoded from UTF-8, without a byte order mark. If `path` ends in
 * `.txt`, it is plain text.
 */
export function checkContextFile(
  content: string,
  options: { path: string; frontMatterBytes?: number },
): CheckedContextFile {
  const { path, frontMatterBytes = fixedLimits.request.frontMatterBytes } = options;
  const isPlain = path.toLowerCase().endsWith('.txt');
  const { value: source, warnings } = readContextFile(content, { path, frontMatterBytes });
  const found: Warning[] = [...warnings];
  if (!source.hasFrontMatter) {
    const slip = isPlain ? frontMatterInTextFile(content) : misfencedFrontMatter(content);
    if (slip) found.push({ ...slip, path });
  }
  const globs: CheckedContextFile['globs'] = [];
  let namePlace: PlaceInFile | undefined;
  const isRead = source.hasFrontMatter && !warnings.some(({ code }) => unreadFrontMatter.includes(code));
  if (isRead) {
    const keys = readWrittenKeys(content, source.bodyLine);
    const name = keys.get('name');
    if (name) namePlace = { path, line: name.line, column: name.column, pointer: '/name' };
    found.push(...propertyWarnings(source, keys, path));
    for (const [pattern, place] of writtenGlobs(source, keys, path)) {
      const problem = globProblem(pattern);
      if (problem === undefined) globs.push({ pattern, place });
      else found.push({ ...problem, ...place });
    }
  }
  if (source.body.trim() === '') {
    const message = 'There is no text for a model. Write some, or remove the file.';
    found.push({ code: 'empty_body', message, path, line: source.bodyLine, column: 1 });
  }
  found.push(...checkDelivered(content, path));
  if (!isPlain) found.push(...commentWarnings(source, path));
  return { warnings: placeInText(found, content), source, globs, namePlace };
}

const unreadFrontMatter = ['invalid_front_matter', 'front_matter_too_large'];

function writtenGlobs(source: ContextFileSource, keys: WrittenKeys, path: string): [string, PlaceInFile][] {
  const key = namesOfKey('globs')
    .map((name) => keys.get(name))
    .find((each) => each !== undefined && each.text !== '');
  if (key === undefined) return [];
  return source.globs.map((pattern) => [pattern, { path, ...key.find(pattern), pointer: `/${key.name}` }]);
}

/** A short overview of a project, and next steps. All text from files is escaped. */
import type { FormatsResult } from '../../context/formats-request.ts';
import { shellWord } from '../../texts/shell-word.ts';
import { shortenList } from '../../texts/shorten.ts';
import { visibleText } from '../../texts/visible-text.ts';
import type { Sheet } from './page.ts';
import { padText, textWidth, wrapText } from './terminal-text.ts';
import { count, plural } from './words.ts';

/** `example`: a source file, and the files that apply to it. */
export type Overview = {
  mountedDirectory: string;
  /** Formats of other tools, with the number of their files, and the first file that is in the project. */
  formats: (FormatsResult['formats'][number] & { first?: string })[];
  /** Context files of no other tool. */
  ownFiles: number;
  /** Texts such as `AGENTS.md` that apply in directories below. */
  below: number;
  policies: number;
  /** Their paths in the project. */
  ignoreFiles: readonly string[];
  always: number;
  example?: { relativePath: string; applies: readonly { relativePath: string }[]; tokens: number };
};

const shownNames = 5;

export function renderOverview(found: Overview, { paint, width }: Sheet): string[] {
  const { mountedDirectory, formats, ownFiles, below, policies, ignoreFiles, always, example } = found;
  const parts = [
    ...(ownFiles === 0 ? [] : [plural(ownFiles, 'context file')]),
    ...formats.map((each) => `${wordsOfFormat(each, formats)}${each.isRead ? '' : ' (not read)'}`),
    ...(below === 0 ? [] : [`${plural(below, 'rule file')} in directories below`]),
    ...(policies === 0 ? [] : [plural(policies, 'policy', 'policies')]),
  ];
  const nothing = 'There are no context files, rule files of other tools or policies here yet.';
  const summary = parts.length === 0 ? nothing : `Found ${listOf(parts)}.`;
  return [
    paint('bold', visibleText(mountedDirectory)),
    ...wrapText(summary, width),
    ...(ignoreFiles.length === 0 ? [] : wrapText(wordsOfIgnoreFiles(ignoreFiles), width)),
    ...(parts.length === 0 ? [] : wrapText(wordsOfExample(always, example), width)),
  ];
}

/** Of two kinds of files of one tool each is named. */
function wordsOfFormat(format: Overview['formats'][number], formats: Overview['formats']): string {
  const { name, tool, files, first } = format;
  if (files === 1 && first !== undefined) return visibleText(first);
  const words = `${plural(files, isSkills(format) ? 'skill' : 'file')} of ${tool}`;
  const isAlone = !formats.some(
    (other) => other !== format && other.tool === tool && other.files > 1 && isSkills(other) === isSkills(format),
  );
  return files === 1 || isAlone ? words : `${words} (${name})`;
}

const isSkills = ({ name }: { name: string }): boolean => name.endsWith('-skills');

export function hasNothing({ formats, ownFiles, below, policies }: Overview): boolean {
  return formats.length + ownFiles + below + policies === 0;
}

/** `directory`: as the user named it. */
export function renderNextSteps(found: Overview, { paint }: Sheet, directory = '.'): string[] {
  const where = wordsOfDirectory(directory);
  const { relativePath = '' } = found.example ?? {};
  const isSayable = relativePath !== '' && visibleText(relativePath) === relativePath;
  const about = isSayable ? ` --file ${shellWord(relativePath)}` : '';
  const look = [
    [`contextd resolve${where}${about}`, 'what a model should see, and why'],
    [`contextd check${where}`, 'mistakes in these files, and how to fix them'],
  ] as const;
  const begin = [
    [`contextd init${where} --write`, 'make a context directory with an example'],
    [`contextd check${where}`, 'what is here under a name that is not read'],
  ] as const;
  const steps = [...(hasNothing(found) ? begin : look), [`contextd open${where}`, 'the same in your browser']] as const;
  const longest = Math.max(...steps.map(([command]) => textWidth(command)));
  return [
    '',
    paint('bold', 'Next steps'),
    ...steps.map(([command, what]) => `  ${padText(command, longest)}   ${what}`),
  ];
}

/** The argument that names it, with a space before it; nothing for the current directory. */
export function wordsOfDirectory(directory: string): string {
  return directory === '.' ? '' : ` ${shellWord(directory)}`;
}

function wordsOfExample(always: number, example: Overview['example']): string {
  if (example === undefined) return `${plural(always, 'file applies', 'files apply')} whatever is in play.`;
  const { relativePath, applies, tokens } = example;
  const about = `For ${visibleText(relativePath)}`;
  if (applies.length === 0) return `${about} none of them applies.`;
  const names = someOf(applies.map((file) => file.relativePath));
  return `${about} ${plural(applies.length, 'applies', 'apply')}, ${count(tokens)} tokens: ${names}.`;
}

function wordsOfIgnoreFiles(paths: readonly string[]): string {
  const [files, verb] = paths.length === 1 ? ['Ignore file', 'it leaves'] : ['Ignore files', 'they leave'];
  return `${files}: ${someOf(paths)}. No model sees what ${verb} out.`;
}

function someOf(paths: readonly string[]): string {
  return shortenList(paths.map(visibleText), shownNames, (left) => ` and ${count(left)} more`);
}

function listOf(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] as string) : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

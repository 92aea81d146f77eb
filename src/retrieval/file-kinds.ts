/**
 * Kinds of files that have the words of many queries, and seldom what is asked for. A match in such a file counts less,
 * unless the query asks for the kind or the active document is in a folder of it (RT-02). Paths tell the kind, and the
 * first lines of what programs write.
 */
import { type FileKind, type FilePath, proseEndings, readPath, words } from './file-path.ts';
import { saysGenerated } from './generated-text.ts';
import { translations } from './translated-files.ts';

const testFolders = words('__tests__ __mocks__ __fixtures__ test tests testdata spec specs e2e fixture fixtures');
const testEndings = words('test tests spec e2e');
/** `PriceTest.php`, `commonTest/…`, `Shop.Tests/…`. A `ConnectionSpec` is seldom a test. */
const endsAsTest = /[a-z\d.]Tests?$/u;
const configurationEndings = words('json toml xml yaml yml');

/** They use the words of what they test, and more often. */
const tests: FileKind = {
  share: 0.6,
  // Also by the name of one: `PriceTest`, `price_spec`.
  asksFor:
    /(?<![A-Za-z])(?:[Tt]est(?:s|ed|ing)?|[Ss]pecs?|[Ff]ixtures?|[Mm]ock(?:s|ed)?|[Ss]tor(?:ies|ybook))(?![a-z])|[a-z\d]Tests?(?![a-z])/u,
  has({ written, folders, file, stem, endings }) {
    if (folders.some((folder) => testFolders.has(folder)) || written.some((name) => endsAsTest.test(name))) return true;
    const last = endings.at(-1) ?? '';
    if (proseEndings.has(last) || configurationEndings.has(last)) return false;
    if (last === 'bats' || endings.at(-2) === 'stories') return true;
    const [ending = '', before] = file.split(/[._-]/u).toReversed().slice(1);
    return stem === 'tests' || file.startsWith('test_') || (before !== undefined && testEndings.has(ending));
  },
};

const packageFolders = words('vendor third_party third-party thirdparty');

/** Copies of other packages, which can have more files than the project. */
const packages: FileKind = {
  share: 0.4,
  asksFor: /\b(?:vendor(?:s|ed)?|third[- _]?part(?:y|ies))\b/iu,
  has: ({ folders }) => folders.some((folder) => packageFolders.has(folder)),
};

/** Docusaurus keeps a copy of all documents for each version. */
const oldDocuments: FileKind = {
  share: 0.4,
  asksFor: /\bversion(?:s|ed)?\b/iu,
  has: ({ folders }) => folders.includes('versioned_docs'),
};

const dataEndings = words('csv geojson jsonl ndjson svg tsv');

/**
 * Many lines of them have the words of a query, and none says what the code does. In `cassettes` are recordings of what
 * servers answered.
 */
const data: FileKind = {
  share: 0.4,
  asksFor: /\b(?:csv|tsv|jsonl|ndjson|geojson|svg|data|datasets?|rows?|columns?|records?|recordings?|cassettes?)\b/iu,
  has({ folders, endings }) {
    const last = endings.at(-1) ?? '';
    const isRecording = configurationEndings.has(last) && folders.some((folder) => folder.endsWith('cassettes'));
    return isRecording || dataEndings.has(last);
  },
};

const generatedFolders = words('dist generated __generated__');
const generatedEndings = words('bundle designer freezed g gen generated pb umd');
/** `price_pb2.py`, `price_gen.go`, `zz_generated.price.go`. */
const generatedStem = /^zz_generated$|_(?:pb|pb2|pb2_grpc|gen|generated)$/u;

const pageEndings = words('htm html');
const pageFolders = words('apidocs dokka doxygen javadoc typedoc');

/** Pages of documents are made from their sources and from code, often again for each version. */
const pages: FileKind = {
  share: 0.4,
  asksFor: /\b(?:html?|pages?|sites?|websites?|javadoc|dokka|doxygen|typedoc)\b/iu,
  has({ folders, endings }) {
    if (endings.length > 0 && !pageEndings.has(endings.at(-1) ?? '')) return false;
    return folders[0] === 'docs' || folders[0] === 'doc' || folders.some((folder) => pageFolders.has(folder));
  },
};

/** Programs write them, from what the query is about. */
const generated: FileKind = {
  share: 0.4,
  asksFor: /\b(?:generated|bundles?|dist)\b/iu,
  has: ({ folders, stem, endings }) =>
    folders.some((folder) => generatedFolders.has(folder)) ||
    generatedEndings.has(endings.at(-2) ?? '') ||
    generatedStem.test(stem),
};

/** `changelog_4x`, `RELEASE-NOTES-2.5`, but not `release-process`. */
const changeLog = /^(?:changelog|changes|history|news|releases?|release[-_]?notes)(?:[-_]?v?\d|$)/u;

/** They tell of each change in the words in which somebody asks for the next one. */
const changeLogs: FileKind = {
  share: 0.4,
  asksFor: /\b(?:change ?logs?|history|news|releases?|released|versions?)\b/iu,
  has: (path) => changeLog.test(path.stem) && isNotice(path),
};

/** Without an ending, a name in small letters is a program: `scripts/release`. */
function isNotice({ written, endings }: FilePath): boolean {
  return endings.length === 0 ? /^\p{Lu}/u.test(written.at(-1) ?? '') : proseEndings.has(endings.at(-1) ?? '');
}

/** `LICENSE-MIT`, `third_party_licenses.txt`, but not `license-keys.md`. */
const license =
  /^(?:third[-_]?party[-_]?)?(?:un)?licen[cs]es?(?:[-_](?:agpl|apache|bsd|gpl|isc|lgpl|mit|mpl)[-_v\d]{0,9})?$/u;
/** Only in capitals: `notice.md` is about notices. */
const notice = /^(?:COPYING|COPYRIGHT|NOTICES?|(?:THIRD[-_]?PARTY[-_]?|ThirdParty)(?:NOTICES?|Notices?))$/u;
/** `LICENSE.MIT`, `COPYING.LESSER`, `LICENSE-APACHE-2.0`. */
const licenseEndings = words('0 apache bsd lesser lib mit');

/** They have the words of every project: use, work, source, form, permission, limit. */
const licenses: FileKind = {
  share: 0.4,
  asksFor: /\b(?:licen[cs]|copying\b|copyright|liabilit|warrant)/iu,
  has: (path) =>
    (license.test(path.stem) || notice.test(path.written.at(-1) ?? '') || path.folders.includes('licenses')) &&
    (isNotice(path) || licenseEndings.has(path.endings.at(-1) ?? '')),
};

/** It tells of the code in the words of a query, and often. */
const prose: FileKind = {
  share: 0.75,
  asksFor:
    /\b(?:docs?|document(?:s|ed|ation)?|explain|guides?|how|install(?:ed|ing|ation)?|overview|readme|tutorials?|why)\b/iu,
  has: (path) =>
    (proseEndings.has(path.endings.at(-1) ?? '') || path.file === 'readme') &&
    !changeLogs.has(path) &&
    !licenses.has(path) &&
    !isListForTools(path),
};

/** `CMakeLists.txt`, `requirements-dev.txt`, `requirements/dev.txt`. */
function isListForTools({ folders, stem, endings }: FilePath): boolean {
  if (endings.at(-1) !== 'txt') return false;
  return /^(?:cmakelists$|requirements)/u.test(stem) || folders.at(-1) === 'requirements';
}

/** It names what the code is about, and its values. */
const configuration: FileKind = {
  share: 0.75,
  asksFor:
    /\b(?:(?:ci|env|json|lint|toml|xml|ya?ml)\b|build|config|depend|deploy|docker|manifest|openapi|package|pipeline|schema|setting|workflow)/iu,
  has: (path) =>
    path.folders[0] === '.github' || configurationEndings.has(path.endings.at(-1) ?? '') || isListForTools(path),
};

const kinds = [
  tests,
  packages,
  translations,
  oldDocuments,
  data,
  pages,
  generated,
  changeLogs,
  licenses,
  prose,
  configuration,
];

/** What a match in a file with the name of the active document counts, such as its tests. */
const namesakeShare = 1.25;
/** Names that say nothing about a file outside its folder. */
const commonStems = words(
  `__init__ +error +layout +page +server app index layout lib main mod page readme route test tests
  _helpers chart kustomization outputs providers values variables versions`,
);
const testMark = /^tests?[_-]|[_-](?:tests?|spec)$|(?<=[a-z\d])(?:Tests?|Spec)$/u;

/** Whether a directory is in a copy of another package, unless the query or the active document is about these. */
export function packagesOf(query: string, activeDocument = ''): (directory: string) => boolean {
  const areMeant = packages.asksFor.test(query) || packages.has(readPath(activeDocument));
  return (directory) => !areMeant && packages.has(readPath(`${directory}/x`));
}

/** By which the score of a file is multiplied. Paths are relative to the workspace. */
export function shareOfKinds(query: string, activeDocument = ''): (path: string, text?: string) => number {
  const folder = activeDocument.slice(0, activeDocument.lastIndexOf('/') + 1);
  const besideIt = readPath(`${folder}x`);
  const counted = kinds.filter(({ asksFor, has }) => !asksFor.test(query) && !has(besideIt));
  const isNamesake = namesakesOf(readPath(activeDocument));
  const isCounted = (kind: FileKind, path: FilePath, text: string) =>
    kind.has(path) || (kind === generated && !prose.has(path) && saysGenerated(text));
  return (name, text = '') => {
    const path = readPath(name);
    const share = Math.min(1, ...counted.flatMap((kind) => (isCounted(kind, path, text) ? [kind.share] : [])));
    // What counts least can be a copy of the document.
    return share > 0.4 && isNamesake(path) ? namesakeShare : share;
  };
}

/** Recognises `price.test.ts`, `test_shop_price.py`, `PriceTest.java` and `price.css` for `price.*`. */
function namesakesOf(document: FilePath): (path: FilePath) => boolean {
  const ofDocument = wordsOf(document);
  const name = ofDocument.replaceAll(' ', '');
  if (name === '') return () => false;
  const isCommon = commonStems.has(document.stem);
  const folder = document.folders.join('/');
  return (path) => {
    if (isCommon && path.folders.join('/') !== folder) return false;
    const other = wordsOf(path);
    return (
      other.replaceAll(' ', '') === name || (name.length > 3 && other.endsWith(` ${ofDocument}`) && tests.has(path))
    );
  };
}

/** Of the name, without marks of tests. */
function wordsOf({ written }: FilePath): string {
  const name = (written.at(-1) ?? '').replace(testMark, '');
  return name.replaceAll(/[_-]|(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ').toLowerCase();
}

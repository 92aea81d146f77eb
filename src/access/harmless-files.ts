/** Tells files without secrets from files with secrets of a similar name. All paths are in lower case. */
import { baseName } from './paths.ts';

const directories = new Set(['locale', 'locales', 'i18n', 'l10n', 'translations']);
/** Translations about signing in can be here, but so can secrets of a service. So only the name `auth` counts. */
const directoriesOfAuth = new Set(['messages', 'lang', 'langs', 'languages', 'dictionaries']);
const extensions = new Set(['json', 'json5', 'yml', 'yaml']);
/** ISO 639-1, and Filipino, which has no shorter code. */
const languages = new Set(
  `aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et
  eu fa ff fi fil fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk
  kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc
  oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn
  to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu`.split(/\s+/u),
);

/**
 * A file with texts that a program shows to people: `locales/de/auth.json`, `i18n/pt-br/secrets.yml`. Other files there
 * may not be translations.
 */
export function isTranslationFile(path: string): boolean {
  const [name = '', language = '', directory = ''] = path.split('/').reverse();
  const [stem, extension = '', ...others] = name.split('.');
  const isText = stem !== '' && extensions.has(extension) && others.length === 0;
  const isFit = directories.has(directory) || (stem === 'auth' && directoriesOfAuth.has(directory));
  return isText && isFit && isLanguage(language);
}

/** A language, perhaps with script and region: `de`, `pt-br`, `zh_hant_tw`. */
function isLanguage(tag: string): boolean {
  const [language = '', ...subtags] = tag.replaceAll('_', '-').split('-');
  const areFit = subtags.every(({ length }) => length >= 2 && length <= 4);
  return languages.has(language) && subtags.length <= 2 && areFit;
}

const programs = new Set(
  'ts tsx mts cts js jsx mjs cjs vue svelte astro py rb go rs java kt php cs swift dart ex exs scala'.split(' '),
);

/** A program with such a part inside its name, such as the route `shops.env.$name.ts`. `.env.ts` is none. */
export function isProgram(path: string): boolean {
  const parts = baseName(path).split('.');
  return parts[0] !== '' && programs.has(parts.at(-1) ?? '');
}

/** A workflow of GitHub. Its name may be the name of what it tests. */
export function isWorkflowFile(path: string): boolean {
  const [, ...directories] = path.split('/').reverse();
  return directories[0] === 'workflows' && directories[1] === '.github';
}

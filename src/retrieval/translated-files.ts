/** Files with the texts of others in another language (RT-02). */
import { type FileKind, type FilePath, proseEndings, words } from './file-path.ts';

const localeFolders = words('_locales i18n l10n lang langs languages locale locales translations');
/** Folders of locales hold code too. */
const textEndings = words('arb ftl ini json jsonc po properties resx strings toml xlf xliff xml yaml yml');
/** `de`, `pt-BR`, `zh_Hans_CN`, and `pt-rBR` and `zh+Hans` of Android. */
const languageTag = /^(?!en\b|en_)[a-z]{2,3}(?:[-_+](?:[a-z]{4}|r?[a-z]{2}|\d{3})){0,3}$/u;
/** Texts in English are what is translated, whatever else is in their path: `app` is a language too. */
const english = /^en(?![a-z])/u;

/** Each says the same again in another language, so they can fill an answer. */
export const translations: FileKind = {
  share: 0.4,
  asksFor: /\b(?:(?:i18n|l10n|languages?|locales?)\b|locali[sz]|translat)/iu,
  has(path) {
    const { folders, stem, endings } = path;
    if (proseEndings.has(endings.at(-1) ?? '')) return isTranslatedProse(path);
    if (!textEndings.has(endings.at(-1) ?? '')) return false;
    const at = folders.findIndex((folder) => localeFolders.has(folder));
    const below = at < 0 ? [] : [...folders.slice(at + 1), stem, ...endings.slice(0, -1)];
    const ofAndroid = folders.flatMap((folder) => folder.split(/^values-(?:b\+)?/u).slice(1));
    const parts = [...below, ...ofAndroid];
    return parts.some((each) => languageTag.test(each)) && !parts.some((each) => english.test(each));
  },
};

/** Documents are not always below a folder of locales, and `go` and `api` are no languages. */
const languages = words('ar bn cs da de el es fa fi fr he hi hu id it ja ko nb nl no pl pt ro ru sv th tr uk ur vi zh');

/** By a folder, as in documentation sites, or by the end of the name: `prices.ja.md`, `README_ja.md`. */
function isTranslatedProse({ folders, stem, endings }: FilePath): boolean {
  const ofReadme = /^readme[-_]/u.test(stem) ? [stem.slice('readme-'.length)] : [];
  return [...folders, ...endings.slice(0, -1), ...ofReadme].some(
    (each) => languageTag.test(each) && languages.has(each.split(/[-_]/u)[0] as string),
  );
}

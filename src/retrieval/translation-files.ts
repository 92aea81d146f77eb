/** Translations of texts, by their paths. Each says the same again in another language, so they can fill an answer. */

const localeFolders = new Set('_locales i18n l10n lang langs languages locale locales translations'.split(' '));
const asksForTranslations = /\b(?:(?:i18n|l10n|languages?|locales?)\b|locali[sz]|translat)/iu;
/** Folders with such names hold code too. */
const textEndings = new Set('arb ftl ini json jsonc po properties resx strings toml xlf xliff xml yaml yml'.split(' '));
/** `de`, `pt-BR`, `zh_Hans_CN`, and `pt-rBR` and `zh+Hans` of Android. */
const languageTag = /^(?!en\b|en_)[a-z]{2,3}(?:[-_+](?:[a-z]{4}|r?[a-z]{2}|\d{3})){0,3}$/u;
/** Texts in English are what is translated, whatever else is in their path: `app` is a language too. */
const english = /^en(?![a-z])/u;

/** What a match in a translation counts: enough to be found where nothing else fits as well. */
const translationShare = 0.5;

/** By which the score of a file is multiplied; 1 where the query is about translations. `name` is relative to the workspace. */
export function shareOfTranslations(query: string): (name: string) => number {
  const share = asksForTranslations.test(query) ? 1 : translationShare;
  return (name) => (isTranslation(name) ? share : 1);
}

function isTranslation(name: string): boolean {
  const segments = name.toLowerCase().split('/');
  const [stem = '', ...endings] = (segments.pop() ?? '').split('.');
  if (!textEndings.has(endings.at(-1) ?? '')) return false;
  const at = segments.findIndex((folder) => localeFolders.has(folder));
  const below = at < 0 ? [] : [...segments.slice(at + 1), stem, ...endings.slice(0, -1)];
  const ofAndroid = segments.flatMap((folder) => folder.split(/^values-(?:b\+)?/u).slice(1));
  const parts = [...below, ...ofAndroid];
  return parts.some((each) => languageTag.test(each)) && !parts.some((each) => english.test(each));
}

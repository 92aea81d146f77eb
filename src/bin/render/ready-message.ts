import { shellWord } from '../../texts/shell-word.ts';
import { visibleText } from '../../texts/visible-text.ts';

export type Ready = {
  url: string;
  version: string;
  discoveryFile: string;
  grantedRoots: readonly string[];
  /** The server that embeds, if there is one. */
  embedder?: string;
};

/** Without a proxy, because a proxy would get the token. */
const curl = "curl -sS --noproxy '*' -H @-";

/** The message of a daemon that is ready: its address, what it may read, and a first request to copy. */
export function readyMessage({ url, version, discoveryFile, grantedRoots, embedder }: Ready): string {
  const example = grantedRoots[0];
  const file = shellWord(discoveryFile);
  const header = String.raw`sed -n 's/.*"token": "\(.*\)".*/Authorization: Bearer \1/p' ${file}`;
  const request =
    example === undefined
      ? `${curl} ${url}/v1/status`
      : `${curl} -H 'Content-Type: application/json' -d ${shellWord(JSON.stringify({ mountedDirectory: example }))} ${url}/v1/context/resolve`;
  return [
    `contextd ${version} listens on ${url}`,
    '',
    `  Discovery file   ${visibleText(discoveryFile)} (address and token, for you only)`,
    ...(example === undefined ? ['  Granted roots    none yet: contextd roots grant <directory>'] : []),
    ...grantedRoots.map(
      (root, index) => `  ${index === 0 ? 'Granted roots   ' : '                '} ${visibleText(root)}`,
    ),
    ...(embedder === undefined ? [] : [`  Embedding        ${embeddingWords(embedder)}`]),
    '  Console          contextd open',
    `  API              ${url}/docs`,
    '',
    'A first request, to copy:',
    `  ${header} |`,
    `    ${request}`,
    '',
    '',
  ].join('\n');
}

/** The note about a server that embeds. */
export function embeddingWords(endpoint: string): string {
  return `${visibleText(endpoint)}: gets all searched text and each question`;
}

/** Environment variables that can make a program run, load or find something else (S-18, S-25). */

import { isInRoots } from '../access/reach.ts';
import type { Root } from '../ports/ports.ts';

/** Variables that name code, or the places of code. */
const families =
  /^(?:LD|DYLD|GIT|BUNDLE|GEM|CARGO|DENO|BUN|YARN|PNPM|COREPACK|DOTNET|CORECLR|NIX|GUIX|CONDA|DOCKER|MAVEN|GRADLE|NPM_CONFIG|PIP|UV|BASH_FUNC)_/iu;
const codeVariables =
  /^(?:NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|PYTHON(?:PATH|HOME|STARTUP|INSPECT|USERBASE|PLATLIBDIR|BREAKPOINT|EXECUTABLE|PYCACHEPREFIX)|BASH_ENV|ENV|IFS|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|ZDOTDIR|PERL5(?:OPT|LIB|DB)|PERLLIB|RUBY(?:OPT|LIB)|CLASSPATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_HOME|GCONV_PATH|OPENSSL_(?:CONF|ENGINES|MODULES)|LESS(?:OPEN|CLOSE)|ELECTRON_RUN_AS_NODE|LUA_(?:PATH|CPATH|INIT)|PHPRC|PHP_INI_SCAN_DIR|GO(?:FLAGS|ROOT|PATH)|RUSTC(?:_WRAPPER)?|RUSTFLAGS|MAKEFLAGS|MAKEFILES|FLASK_APP|DJANGO_SETTINGS_MODULE|VIRTUAL_ENV|SHELL|EDITOR|VISUAL|PAGER|BROWSER|R_PROFILE(?:_USER)?|JULIA_(?:LOAD_PATH|PROJECT)|HOSTALIASES)$/iu;
/** Their entries, separated by `:`, are places. Only the places matter. */
const placeVariables = /^(?:PATH|HOME|TMPDIR|XDG_(?:CONFIG|DATA|CACHE)_(?:HOME|DIRS))$/u;
const otherDangers = /^(?:(?:HTTPS?_PROXY|ALL_PROXY|SSL_CERT_(?:FILE|DIR)|LOCPATH|NLSPATH|MALLOC_TRACE)$|CONTEXTD_)/iu;
const secretName = /TOKEN|AUTH|PASSW|SECRET|APIKEY|API_KEY|CREDENTIAL|PRIVATE/iu;

/** Values that never load anything, whatever is on the disk. */
const harmless: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [
    /^NODE_OPTIONS$/u,
    /^(?:(?:--max-old-space-size=\d{1,6}|--no-warnings|--no-deprecation|--enable-source-maps)(?: |$)){0,8}$/u,
  ],
  [/^(?:NPM_CONFIG_REGISTRY|UV_(?:INDEX_URL|DEFAULT_INDEX)|PIP_INDEX_URL)$/iu, /^https:\/\//u],
  [
    /^(?:NPM_CONFIG_(?:YES|FUND|AUDIT|UPDATE_NOTIFIER|LOGLEVEL)|UV_NO_PROGRESS|NODE_TLS_REJECT_UNAUTHORIZED)$/iu,
    /^\w{0,64}$/u,
  ],
];

/** Whether a variable with this name deserves attention. */
export function isDangerousVariable(name: string): boolean {
  return isCodeVariable(name) || placeVariables.test(name) || otherDangers.test(name);
}

/** Whether a variable may make a program load something that no argument names. */
export function loadsCode(name: string, value: string, roots: readonly Root[]): boolean {
  if (placeVariables.test(name))
    return value.split(':').some((place) => !place.startsWith('/') || isInRoots(place, roots));
  return isCodeVariable(name) && !harmless.some(([names, values]) => names.test(name) && values.test(value));
}

/** Whether the value is shown to the user who approves it: it decides what runs, and is not meant as a secret. */
export function isShownValue(name: string): boolean {
  return (isCodeVariable(name) || placeVariables.test(name)) && !secretName.test(name.replace(/ASKPASS/iu, ''));
}

function isCodeVariable(name: string): boolean {
  return families.test(name) || codeVariables.test(name);
}

/** Decides which of several Go files with the same declarations is built, by their names and `//go:build` lines. */

const systems =
  'aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows'.split(' ');
const processors = '386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm'.split(
  ' ',
);
/** The answer is the same on every machine: as on a usual Linux server, without custom tags. */
const given = new Set(['linux', 'amd64', 'unix', 'gc', 'cgo']);
const longestLine = 1_000;

/** `name`: the name of the file, without directories. */
export function isBuilt(name: string, text: string): boolean {
  const [stem = ''] = name.split('.');
  const [before = '', last = ''] = ['', '', ...stem.split('_').slice(1)].slice(-2);
  const isProcessor = processors.includes(last);
  const tags = isProcessor && systems.includes(before) ? [before, last] : [last];
  const isNamedFor = !(isProcessor || systems.includes(last)) || tags.every((tag) => given.has(tag));
  const line = /^\/\/go:build[ \t]+(.*)$/mu.exec(text)?.[1] ?? '';
  return isNamedFor && (line === '' || line.length > longestLine || holds(line));
}

/** Evaluates `a && !(b || c)`. An unreadable expression is true. */
function holds(expression: string): boolean {
  const tokens = expression.match(/&&|\|\||[!()]|[\w.]+/gu) ?? [];
  let at = 0;
  const any = (): boolean => {
    let value = all();
    while (tokens[at] === '||') {
      at += 1;
      value = all() || value;
    }
    return value;
  };
  const all = (): boolean => {
    let value = one();
    while (tokens[at] === '&&') {
      at += 1;
      value = one() && value;
    }
    return value;
  };
  const one = (): boolean => {
    const token = tokens[at];
    at += 1;
    if (token === '!') return !one();
    if (token !== '(') return token === undefined || given.has(token) || token.startsWith('go1');
    const value = any();
    at += 1;
    return value;
  };
  return any();
}

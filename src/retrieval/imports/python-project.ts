/** Where a Python project says that its packages lie: setuptools, Poetry, Hatch, and the paths of type checkers and pytest. */
import { joinPath, parentPath } from '../../paths.ts';
import type { Lookup } from './import.ts';

const quoted = /["']([^"'\n]*)["']/gu;

/** Directories, absolute; empty where no project file says any. The project's own directory is among them if it has such a file. */
export async function pythonSourceDirectories(directory: string, lookup: Lookup): Promise<string[]> {
  const said: string[] = [];
  const names = await lookup.namesIn(directory);
  for (const [name, read] of Object.entries(readers)) {
    if (!names.includes(name)) continue;
    const relative = await lookup.derive(`${directory}/${name}`, read);
    if (relative !== undefined) said.push(...relative.slice(0, 50), '.');
  }
  return [...new Set(said.map((path) => joinPath(directory, path.startsWith('/') ? '.' : path)))];
}

const readers: Readonly<Record<string, (text: string) => string[]>> = {
  'pyproject.toml': readPyproject,
  'setup.cfg': readSetupConfiguration,
  'setup.py': readSetupScript,
  'pyrightconfig.json': (text) => listed(text, /"extraPaths"\s*:\s*\[([^\]]*)\]/gu),
};

function readPyproject(text: string): string[] {
  const packages = listed(text, /^\s*packages\s*=\s*\[([^\]]*)\]/gmu).filter((path) => path.includes('/'));
  return [
    // setuptools: `packages.find.where`; pytest; pyright; mypy; Hatch: `sources`.
    ...listed(text, /^\s*(?:[\w.-]*\bwhere|pythonpath|extraPaths|mypy_path|sources)\s*=\s*(\[[^\]]*\]|"[^"\n]*")/gmu),
    // setuptools: `package-dir = { "" = "src" }`, also as a table.
    ...listed(text, /["']{2}\s*=\s*(["'][^"'\n]*["'])/gu),
    // Poetry: `packages = [{ include = "a", from = "src" }]`.
    ...listed(text, /\bfrom\s*=\s*(["'][^"'\n]*["'])/gu),
    // Hatch: `packages = ["src/a"]`.
    ...packages.map((path) => parentPath(`/${path}`).slice(1) || '.'),
  ];
}

function readSetupConfiguration(text: string): string[] {
  const found = [...text.matchAll(/^\s*(?:where|package_dir)?\s*=[ \t]*\n?\s*=?[ \t]*([\w./-]+)[ \t]*$/gmu)];
  return found.map((match) => match[1] ?? '.');
}

function readSetupScript(text: string): string[] {
  return [
    ...listed(text, /package_dir\s*=\s*\{\s*["']{2}\s*:\s*(["'][^"'\n]*["'])/gu),
    ...listed(text, /find(?:_namespace)?_packages\(\s*(?:where\s*=\s*)?(["'][^"'\n]*["'])/gu),
  ];
}

/** The quoted texts in what a pattern's group matches. */
function listed(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap((match) =>
    [...(match[1] ?? '').matchAll(quoted)].map((each) => each[1] ?? ''),
  );
}

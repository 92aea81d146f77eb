/**
 * Finds the source directories that a Python project names: setuptools, Poetry, Hatch, and the paths of type checkers
 * and pytest.
 */
import { joinPath, parentPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { bracketed, firstMatches, quotedIn } from '../plain-reading.ts';

/** Absolute directories. Empty if no project file exists. If one exists, the project's own directory is included. */
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
  'pyrightconfig.json': (text) => quotedIn(bracketed(text, /"extraPaths"\s*:\s*\[/gmu, ']')),
};

function readPyproject(text: string): string[] {
  const packages = quotedIn(bracketed(text, /^[ \t]*packages[ \t]*=[ \t]*\[/gmu, ']'));
  return [
    // setuptools: `packages.find.where`; pytest; pyright; mypy; Hatch: `sources`.
    ...quotedIn(
      bracketed(
        text,
        /^[ \t]*(?:packages\.find\.)?(?:where|pythonpath|extraPaths|mypy_path|sources)[ \t]*=[ \t]*\[/gmu,
        ']',
      ),
    ),
    ...quotedIn(bracketed(text, /^[ \t]*(?:pythonpath|mypy_path)[ \t]*=[ \t]*(?=")/gmu, '\n')),
    // setuptools: `package-dir = { "" = "src" }`, also as a table.
    ...quotedIn(bracketed(text, /["']{2}[ \t]*=[ \t]*(?=["'])/gmu, '\n')).slice(0, 1),
    // Poetry: `packages = [{ include = "a", from = "src" }]`.
    ...firstMatches(
      text,
      /\bfrom[ \t]{0,9}=[ \t]{0,9}["']([^"'\n]{1,200})["']/gu,
      fixedLimits.projects.python.packages,
    ),
    // Hatch: `packages = ["src/a"]`.
    ...packages.filter((path) => path.includes('/')).map((path) => parentPath(`/${path}`).slice(1) || '.'),
  ];
}

/** Reads `where = src`, and `package_dir =` with `= src` in the next line. */
function readSetupConfiguration(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const found = lines.map((line) => /^(?:where|package_dir)?[ \t]*=[ \t=]*([\w./-]+)$/u.exec(line)?.[1]);
  return found.filter((path) => path !== undefined);
}

function readSetupScript(text: string): string[] {
  return [
    ...quotedIn(bracketed(text, /package_dir\s*=\s*\{/gmu, '}')).filter((path) => path !== ''),
    ...quotedIn(bracketed(text, /find(?:_namespace)?_packages\(/gmu, ')')).slice(0, 1),
  ];
}

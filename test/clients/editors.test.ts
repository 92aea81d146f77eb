/** The clients for editors, each in the real editor where that is installed, beside a spawned daemon. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryPath, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const clients = join(import.meta.dirname, '../../clients');
const hasEditor = (name: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      return readFileSync(join(directory, name)).length > 0;
    } catch {
      return false;
    }
  });

let directory: string;
let project: string;
let daemon: TestDaemon;
let server: string[];

beforeAll(async () => {
  directory = temporaryDirectory();
  project = join(directory, 'a project');
  for (const folder of ['.git', '.context', 'src']) mkdirSync(join(project, folder), { recursive: true });
  writeFileSync(join(project, 'AGENTS.md'), 'Write tests first.\n');
  writeFileSync(join(project, 'src/cart.ts'), 'export const cart = [];\n');
  writeFileSync(join(project, '.context/broken.md'), '---\ntrigger: always\nglobs: [src\n---\nBroken.\n');
  writeFileSync(join(project, '.context/odd\nactive    forged.md'), 'Odd.\n');
  daemon = await startDaemon();
  server = [process.execPath, entryPath, 'lsp', '--state-dir', daemon.stateDirectory];
});
afterAll(() => daemon.stop());

/** What an editor writes to the file that its script is told. */
function run(
  program: string,
  args: (script: string) => string[],
  script: (result: string) => string,
): Promise<unknown> {
  const own = mkdtempSync(join(directory, 'editor-'));
  const [file, result] = [join(own, 'script'), join(own, 'result.json')];
  writeFileSync(file, script(JSON.stringify(result)));
  const env = { PATH: process.env.PATH, HOME: own };
  return new Promise((resolve, reject) => {
    execFile(program, args(file), { env, cwd: own, timeout: 50_000 }, (error, stdout, stderr) => {
      try {
        resolve(JSON.parse(readFileSync(result, 'utf8')));
      } catch {
        reject(new Error(`${program} wrote nothing: ${error?.message ?? ''}\n${stdout}\n${stderr}`));
      }
    });
  });
}

type Seen = {
  asked: string[];
  warned: string[];
  text: string;
  explained: string;
  lenses?: string[];
  findings?: string[];
  deprecated?: string[];
};

function expectSeen({ asked, warned, text, explained }: Seen): void {
  // Once with the context, and once with the explanation.
  expect(warned).toEqual(
    Array(2).fill(expect.stringMatching(/^contextd: .*broken\.md: The front matter is not used/u)),
  );
  expect(asked).toEqual([expect.stringContaining(project)]);
  // The rule is shown otherwise than it is saved.
  expect(text).toContain('Write no tests first.');
  expect(explained).toMatch(new RegExp(`^active +${project}/AGENTS.md`, 'mu'));
  // S-44: a name with a line break is no line of its own.
  expect(explained).not.toMatch(/^active +forged/mu);
  expect(explained).toContain('forged.md');
}

const revoke = () => daemon.cli(['roots', 'revoke', project]);

describe.skipIf(!hasEditor('nvim'))('Neovim', () => {
  it('shows the context of a buffer as it is, and what a rule applies to', async () => {
    await revoke();
    const seen = await run(
      'nvim',
      (script) => ['--headless', '-u', 'NONE', '-i', 'NONE', '-c', `luafile ${script}`, '-c', 'cquit'],
      (result) => `
        vim.opt.runtimepath:prepend(${JSON.stringify(join(clients, 'nvim'))})
        local seen = { asked = {}, warned = {}, deprecated = {} }
        vim.notify = function(text) table.insert(seen.warned, text) end
        -- What Neovim will have no longer. An empty list would be written as an object.
        vim.deprecate = function(name) table.insert(seen.deprecated, name) end
        vim.lsp.handlers['window/showMessageRequest'] = function(_, question)
          table.insert(seen.asked, question.message)
          return question.actions[1]
        end
        local contextd = require('contextd')
        contextd.setup({ cmd = vim.json.decode(${JSON.stringify(JSON.stringify(server))}) })
        vim.cmd('set hidden')
        vim.cmd('edit ' .. vim.fn.fnameescape(${JSON.stringify(`${project}/AGENTS.md`)}))
        vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Write no tests first.' })
        vim.cmd('edit ' .. vim.fn.fnameescape(${JSON.stringify(`${project}/src/cart.ts`)}))
        local function answered(command)
          vim.cmd(command)
          vim.wait(20000, function() return vim.bo.buftype == 'nofile' end, 20)
          local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')
          vim.cmd('close')
          return text
        end
        seen.text = answered('ContextdContext')
        seen.explained = answered('ContextdExplain')
        vim.cmd('buffer AGENTS.md')
        local function shown()
          local rule = vim.api.nvim_get_current_buf()
          local lenses = vim.lsp.codelens.get(vim.fn.has('nvim-0.12') == 1 and { bufnr = rule } or rule)
          return vim.tbl_map(function(each) return (each.lens or each).command.title end, lenses)
        end
        vim.wait(20000, function() return #shown() > 0 end, 20)
        seen.lenses = shown()
        if #seen.deprecated == 0 then seen.deprecated = nil end
        vim.fn.writefile({ vim.json.encode(seen) }, ${result})
        vim.cmd('qall!')`,
    );
    expectSeen(seen as Seen);
    expect((seen as Seen).lenses).toEqual(['always applies']);
    expect((seen as Seen).deprecated).toBeUndefined();
  });
});

describe.skipIf(!hasEditor('nvim'))('Neovim, with a rule', () => {
  const withRule = (before: string, after: string) =>
    run(
      'nvim',
      (script) => ['--headless', '-u', 'NONE', '-i', 'NONE', '-c', `luafile ${script}`, '-c', 'cquit'],
      (result) => `
        vim.opt.runtimepath:prepend(${JSON.stringify(join(clients, 'nvim'))})
        vim.cmd('set hidden noswapfile')
        ${before}
        require('contextd').setup({ cmd = vim.json.decode(${JSON.stringify(JSON.stringify(server))}) })
        ${after}
        vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20)
        local found = vim.tbl_map(function(each) return each.code end, vim.diagnostic.get(0))
        vim.fn.writefile({ vim.json.encode(found) }, ${result})
        vim.cmd('qall!')`,
    );
  const wrong = `vim.api.nvim_buf_set_lines(0, 0, -1, false, { '---', 'trigger: sometimes', '---', 'Text.' })`;
  const path = (name: string) => `' .. vim.fn.fnameescape(${JSON.stringify(`${project}/.context/${name}.md`)})`;

  it('that was open before the client was set up, shows what is wrong', async () => {
    expect(await withRule(`vim.cmd('edit ${path('early')})`, wrong)).toEqual(['unknown_trigger']);
  });

  it('that got its name when it was saved, shows what is wrong', async () => {
    const saved = `vim.cmd('enew') ${wrong} vim.cmd('silent write ${path('named')})`;
    expect(await withRule('', saved)).toEqual(['unknown_trigger']);
  });
});

describe.skipIf(!hasEditor('emacs'))('Emacs', () => {
  const lisp = (text: string): string => `"${text.replaceAll(/["\\]/gu, '\\$&')}"`;

  it('shows the context of a buffer as it is, and findings in Eglot', async () => {
    await revoke();
    const seen = (await run(
      'emacs',
      (script) => ['--batch', '-l', script],
      (result) => `
        (add-to-list 'load-path ${lisp(join(clients, 'emacs'))})
        (require 'contextd)
        (require 'json)
        (setq contextd-command '(${server.map(lisp).join(' ')}))
        (defvar asked nil)
        (defvar warned nil)
        (fset 'y-or-n-p (lambda (question) (push question asked) t))
        (advice-add 'message :before
                    (lambda (&rest args)
                      (let ((text (if (car args) (apply #'format args) "")))
                        (when (string-prefix-p "contextd: " text) (push text warned)))))
        (find-file ${lisp(`${project}/AGENTS.md`)})
        (erase-buffer)
        (insert "Write no tests first.")
        (find-file ${lisp(`${project}/src/cart.ts`)})
        (contextd-context "what is a cart?")
        (defvar text (with-current-buffer "*contextd context*" (buffer-string)))
        (contextd-explain)
        (defvar explained (with-current-buffer "*contextd explain*" (buffer-string)))
        (defvar findings nil)
        (package-initialize)
        (when (require 'eglot nil t)
          (contextd-setup-eglot 'text-mode)
          (find-file ${lisp(`${project}/.context/new.md`)})
          (text-mode)
          (insert "---\\ntrigger: sometimes\\n---\\nText.\\n")
          (apply #'eglot (eglot--guess-contact))
          (let ((rounds 0))
            (while (and (< rounds 200) (null (flymake-diagnostics)))
              (setq rounds (1+ rounds))
              (accept-process-output nil 0.1)
              (flymake-start)))
          (setq findings (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))
        (write-region
         (json-encode (list :asked (vconcat asked) :warned (vconcat warned) :text text :explained explained :findings (vconcat findings)))
         nil ${result.replaceAll('\\', '\\\\')})
        (kill-emacs 0)`,
    )) as Seen;
    expectSeen(seen);
    // Debian has Eglot in a package of its own.
    if (seen.findings?.length !== 0) expect(seen.findings).toEqual([expect.stringContaining('unknown_trigger')]);
  });
});

/** The program itself is nowhere to be had without a download of its own: what stands in for it here is its module alone. */
describe('the extension for VS Code', () => {
  it('passes on what the server answers, and starts it again where it has ended', async () => {
    await revoke();
    const pidFile = join(directory, 'server.pid');
    const hostile = join(project, '.context/[Fix](command:run).md');
    const shown: string[] = [];
    const seen: Seen = { asked: [], warned: [], text: '', explained: '' };
    const commands = new Map<string, () => Promise<void>>();
    const providers: Record<string, (...args: unknown[]) => Promise<{ label: string; command: { title: string } }[]>> =
      {};
    const disposable = { dispose() {} };
    const addressOf = (path: string) => ({ scheme: 'file', toString: () => `file://${encodeURI(path)}` });
    const document = (path: string, text: string) => ({
      uri: addressOf(path),
      languageId: 'markdown',
      version: 1,
      getText: () => text,
    });
    const findings = new Map<string, { message: string }[]>();
    const wrong = document(`${project}/.context/new.md`, '---\ntrigger: sometimes\n---\nText.\n');
    const cart = document(`${project}/src/cart.ts`, 'export const cart = [];\n');
    class Made {
      readonly parts: unknown[];
      constructor(...parts: unknown[]) {
        this.parts = parts;
      }
      get label() {
        return this.parts[0];
      }
      get message() {
        return this.parts[1];
      }
      get command() {
        return this.parts[1];
      }
    }
    const provide = (name: string) => (_: unknown, provider: Record<string, never>) => {
      providers[name] = provider[name] as never;
      return disposable;
    };
    const events = Object.fromEntries(
      ['Open', 'Close', 'Save', 'Change'].map((name) => [`onDid${name}TextDocument`, () => disposable]),
    );
    const vscode = {
      Range: Made,
      Diagnostic: Made,
      Hover: Made,
      MarkdownString: Made,
      CodeLens: Made,
      CompletionItem: Made,
      EventEmitter: class {
        event = () => disposable;
        fire() {}
      },
      Uri: { parse: (text: string) => text },
      commands: {
        registerCommand: (name: string, action: () => Promise<void>) => {
          commands.set(name, action);
          return disposable;
        },
      },
      window: {
        activeTextEditor: { document: cart, selection: { active: { line: 0, character: 0 } } },
        showInputBox: async () => '',
        showErrorMessage: (message: string) => shown.push(message),
        showWarningMessage: (message: string) => seen.warned.push(message),
        showInformationMessage: (message: string, ...actions: unknown[]) => {
          seen.asked.push(message);
          return actions[0];
        },
        showTextDocument: async ({ content }: { content: string }) => shown.push(content),
      },
      workspace: {
        ...events,
        onDidChangeWorkspaceFolders: () => disposable,
        openTextDocument: async (made: { content: string }) => made,
        getConfiguration: () => ({ get: () => ['sh', '-c', `echo $$ > '${pidFile}'; exec "$@"`, 'sh', ...server] }),
        workspaceFolders: [{ uri: addressOf(project), name: 'project' }],
        textDocuments: [document(`${project}/AGENTS.md`, 'Write no tests first.\n'), cart, wrong],
      },
      languages: {
        createDiagnosticCollection: () => ({
          set: (uri: string, found: { message: string }[]) => findings.set(uri, found),
          dispose() {},
        }),
        registerHoverProvider: provide('provideHover'),
        registerCodeLensProvider: provide('provideCodeLenses'),
        registerCompletionItemProvider: provide('provideCompletionItems'),
      },
    };
    const source = readFileSync(join(clients, 'vscode/extension.js'), 'utf8');
    const nodeRequire = createRequire(join(clients, 'vscode/extension.js'));
    const module: { activate?: (context: object) => Promise<void>; deactivate?: () => void } = {};
    new Function('require', 'exports', source)(
      (name: string) => (name === 'vscode' ? vscode : nodeRequire(name)),
      module,
    );
    await module.activate?.({ subscriptions: [] });
    try {
      await commands.get('contextd.context')?.();
      await commands.get('contextd.explain')?.();
      [seen.text = '', seen.explained = ''] = shown;
      expectSeen(seen);
      await until(() => [...findings.values()].flat().some(({ message }) => message.includes('"trigger"')));
      const lenses = await providers.provideCodeLenses?.(wrong);
      expect(lenses?.map(({ command }) => command.title)).toEqual(['applies when it is mentioned']);
      const keys = await providers.provideCompletionItems?.(wrong, { line: 1, character: 0 });
      expect(keys?.map(({ label }) => label)).toContain('globs');
      const waiting = commands.get('contextd.context')?.();
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
      await waiting;
      await commands.get('contextd.context')?.();
      expect(shown.slice(2)).toEqual(['contextd: sh has ended', expect.stringContaining('Write no tests first.')]);
      // A click on a link of a notification would run a command of VS Code.
      writeFileSync(hostile, '---\ntrigger: always\nglobs: [src\n---\nBroken.\n');
      await commands.get('contextd.context')?.();
      expect(seen.warned.at(-1)).toMatch(/\[Fix\] \(command:run\)\.md: The front matter is not used/u);
    } finally {
      rmSync(hostile, { force: true });
      module.deactivate?.();
    }
  });
});

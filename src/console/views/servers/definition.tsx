/** Shows everything that decides what runs, completely: the user approves what is shown here (S-18, S-19, S-25). */
import { TriangleAlert } from 'lucide';
import { wordsOfDanger } from '../../../mcp/danger-words.ts';
import type { McpServerEntry } from '../../../mcp/server-requests.ts';
import { Fact } from '../../elements/fact.tsx';
import { Icon } from '../../elements/icon.tsx';
import { FilePath } from '../../elements/text.tsx';
import { BeforeAndAfter, ExactText } from './exact-text.tsx';
import { transportWords, wordsOfField } from './server-words.ts';

export function Definition({ server }: { server: McpServerEntry }) {
  const { command, program, cwd, url, env, headers, files, shadows } = server;
  return (
    <dl class="facts servers-facts">
      {command !== undefined && (
        <Fact name="Command" hint="one argument per line, exactly as it is started, without a shell">
          <ol class="servers-command" aria-label="Program and arguments">
            {command.map((part, index) => (
              <li key={index} value={index}>
                <ExactText text={part} />
              </li>
            ))}
          </ol>
        </Fact>
      )}
      {command !== undefined && (
        <Fact name="Program">
          {program === undefined ? <em class="faint">not found</em> : <ExactText text={program} />}
        </Fact>
      )}
      <Exactly name="Works in" text={cwd} />
      <Exactly name="Address" text={url} />
      <Values name="Variables" values={env} />
      <Values name="Headers" values={headers} />
      {command !== undefined && (
        <Fact name="Files it runs" hint="their content is compared before each start, but not the files that they load">
          {files.length === 0 ? (
            <em class="faint">none in a granted root</em>
          ) : (
            <ul class="servers-values">
              {files.map(({ path, sha256 }) => (
                <li key={path}>
                  <ExactText text={path} />
                  <code class="servers-hash">{sha256}</code>
                </li>
              ))}
            </ul>
          )}
        </Fact>
      )}
      <Fact name="Transport">{transportWords[server.transport]}</Fact>
      <Fact name="Defined in">
        <FilePath path={server.definedIn} /> <span class="faint">{server.scope}</span>
      </Fact>
      <Places
        name="Also in"
        hint="the same definition, in lists of other tools"
        places={server.alsoDefinedIn?.map((path) => ({ path }))}
      />
      <Places
        name="Hides"
        hint="weaker definitions with the same name; their approvals do not count for this one"
        places={shadows}
      />
    </dl>
  );
}

function Exactly({ name, text }: { name: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <Fact name={name}>
      <ExactText text={text} />
    </Fact>
  );
}

type PlacesProps = { name: string; hint: string; places: readonly { path: string; scope?: string }[] | undefined };

function Places({ name, hint, places }: PlacesProps) {
  if (places === undefined) return null;
  return (
    <Fact name={name} hint={hint}>
      <ul class="servers-values">
        {places.map(({ path, scope }) => (
          <li key={path}>
            <FilePath path={path} />
            {scope !== undefined && (
              <>
                {' '}
                <span class="faint">{scope}</span>
              </>
            )}
          </li>
        ))}
      </ul>
    </Fact>
  );
}

function Values({ name, values }: { name: string; values: Record<string, string> | undefined }) {
  if (values === undefined || Object.keys(values).length === 0) return null;
  return (
    <Fact name={name} hint="values are masked, except those that decide what code is loaded">
      <ul class="servers-values">
        {Object.entries(values).map(([key, value]) => (
          <li key={key}>
            <ExactText text={key} />
            {value.startsWith('***') ? (
              <span class="faint"> = {value}</span>
            ) : (
              <span>
                {' = '}
                <ExactText text={value} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Fact>
  );
}

/** Why the program cannot be followed, and the meaning of each mark. Empty if there are none. */
export function Dangers({ server: { danger, unverifiable } }: { server: McpServerEntry }) {
  if (danger.length === 0 && unverifiable === undefined) return null;
  return (
    <section class="servers-dangers" aria-label="Check carefully">
      <h3>Check this carefully</h3>
      <ul>
        {unverifiable !== undefined && (
          <li>
            <Icon icon={TriangleAlert} />
            <span>
              <ExactText text={unverifiable} /> <code class="faint">unverifiable</code>
            </span>
          </li>
        )}
        {danger.map((mark) => (
          <li key={mark}>
            <Icon icon={TriangleAlert} />
            <span>
              <ExactText text={sentenceOf(mark)} /> <code class="faint">{mark.split(':')[0]}</code>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A sentence with a capital letter, unless it begins with a name. */
function sentenceOf(mark: string): string {
  const words = wordsOfDanger(mark);
  return mark.includes(':') ? words : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}

/** The approved and the present definition, field by field. */
export function Changes({ changes }: { changes: NonNullable<McpServerEntry['changes']> }) {
  if (changes.length === 0) return null;
  return (
    <section class="servers-changes" aria-label="Changed since it was approved">
      <h3>Changed since you approved it</h3>
      <ul>
        {changes.map(({ field, before, after }) => (
          <li key={field}>
            <p class="servers-field">
              <ExactText text={wordsOfField(field)} />
            </p>
            <BeforeAndAfter before={before} after={after} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * A program for each generated client: one good call, one refusal and one union, as `{ roots, refusal, added }`. The files
 * that they import are generated first; none of them is in the repository.
 */

const settings = `
const { CONTEXTD_URL: baseUrl = '', CONTEXTD_TOKEN: token = '', SESSION: sessionId = '' } = process.env;
const authorization = \`Bearer \${token}\`;
`;

/** What every client does with the changes of a session: the discriminator tells them apart. */
const addedIn = (changes: string, type: string) =>
  `
function addedIn(changes: ${type}[]): string {
  for (const change of changes) if (change.type === 'item_added') return change.item.name;
  return 'nothing';
}
`.replace('changes: ', `${changes}: `);

export const typeScriptPrograms = {
  'openapi-fetch': `import createClient from 'openapi-fetch';
import type { components, paths } from './generated.ts';
${settings}${addedIn('changes', "components['schemas']['SessionChange']")}
const client = createClient<paths>({ baseUrl, headers: { authorization } });
const listed = await client.GET('/v1/roots');
const refused = await client.POST('/v1/context/resolve', { body: { mountedDirectory: '/etc' } });
const path = { sessionId };
await client.POST('/v1/sessions/{sessionId}/context-items', { params: { path }, body: { type: 'rule', name: 'brief' } });
const changed = await client.GET('/v1/sessions/{sessionId}/changes', { params: { path, query: { since: 1 } } });
const [roots, refusal] = [listed.data?.roots.length, refused.error?.code];
console.log(JSON.stringify({ roots, refusal, added: addedIn(changed.data?.changes ?? []) }));
`,
  'hey-api': `import { client } from './generated/client.gen';
import { addSessionItem, listRoots, listSessionChanges, resolveContext } from './generated/sdk.gen';
import type { SessionChange } from './generated/types.gen';
${settings}${addedIn('changes', 'SessionChange')}
client.setConfig({ baseUrl, headers: { authorization } });
const listed = await listRoots();
const refused = await resolveContext({ body: { mountedDirectory: '/etc' } });
const path = { sessionId };
await addSessionItem({ path, body: { type: 'rule', name: 'brief' } });
const changed = await listSessionChanges({ path, query: { since: 1 } });
const [roots, refusal] = [listed.data?.roots.length, refused.error?.code];
console.log(JSON.stringify({ roots, refusal, added: addedIn(changed.data?.changes ?? []) }));
`,
  orval: `import { addSessionItem, listRoots, listSessionChanges, resolveContext, type SessionChange } from './generated';
${settings}${addedIn('changes', 'SessionChange')}
const send = globalThis.fetch;
globalThis.fetch = (url, options) => send(new URL(String(url), baseUrl), options);
const options = { headers: { authorization } };
const listed = await listRoots(options);
const refused = await resolveContext({ mountedDirectory: '/etc' }, options);
await addSessionItem(sessionId, { type: 'rule', name: 'brief' }, options);
const changed = await listSessionChanges(sessionId, { since: 1 }, options);
const roots = listed.status === 200 ? listed.data.roots.length : 0;
const refusal = refused.status === 403 ? refused.data.code : 'none';
const added = changed.status === 200 ? addedIn(changed.data.changes) : 'none';
console.log(JSON.stringify({ roots, refusal, added }));
`,
  oazapfts: `import { addSessionItem, defaults, listRoots, listSessionChanges, resolveContext, type SessionChange } from './generated';
${settings}${addedIn('changes', 'SessionChange')}
Object.assign(defaults, { baseUrl, headers: { authorization } });
const listed = await listRoots();
const refused = await resolveContext({ mountedDirectory: '/etc' });
await addSessionItem(sessionId, { type: 'rule', name: 'brief' });
const changed = await listSessionChanges(sessionId, { since: 1 });
const roots = listed.status === 200 ? listed.data.roots.length : 0;
const refusal = refused.status === 403 ? refused.data.code : 'none';
const added = changed.status === 200 ? addedIn(changed.data.changes) : 'none';
console.log(JSON.stringify({ roots, refusal, added }));
`,
  'swagger-typescript-api': `import { Api, type Problem, type SessionChange } from './generated/api';
${settings}${addedIn('changes', 'SessionChange')}
const { v1 } = new Api({ baseUrl, baseApiParams: { headers: { authorization } } });
const listed = await v1.listRoots();
const refused = await v1.resolveContext({ mountedDirectory: '/etc' }).catch(({ error }: { error: Problem }) => error);
await v1.addSessionItem(sessionId, { type: 'rule', name: 'brief' });
const changed = await v1.listSessionChanges(sessionId, { since: 1 });
const [roots, refusal] = [listed.data.roots.length, 'code' in refused ? refused.code : 'none'];
console.log(JSON.stringify({ roots, refusal, added: addedIn(changed.data.changes) }));
`,
};

export const pythonProgram = `import json, os, urllib.error, urllib.request
import contextd

def ask(method, path, body=None):
    url = os.environ['CONTEXTD_URL'] + path
    headers = {'authorization': 'Bearer ' + os.environ['CONTEXTD_TOKEN'], 'content-type': 'application/json'}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        return json.load(refused)

session = '/v1/sessions/' + os.environ['SESSION']
roots = contextd.granted_roots_from_dict(ask('GET', '/v1/roots'))
refused = contextd.problem_from_dict(ask('POST', '/v1/context/resolve', {'mountedDirectory': '/etc'}))
item = contextd.rule_or_reference_ref_from_dict({'type': 'rule', 'name': 'brief'})
ask('POST', session + '/context-items', contextd.rule_or_reference_ref_to_dict(item))
changes = contextd.session_changes_from_dict(ask('GET', session + '/changes?since=1')).changes
added = [change.item.name for change in changes if change.type.value == 'item_added']
print(json.dumps({'roots': len(roots.roots), 'refusal': refused.code.value, 'added': added[0]}))
`;

export const goProgram = `package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
)

func ask(method string, path string, body []byte) []byte {
	request, err := http.NewRequest(method, os.Getenv("CONTEXTD_URL")+path, bytes.NewReader(body))
	check(err)
	request.Header.Set("authorization", "Bearer "+os.Getenv("CONTEXTD_TOKEN"))
	request.Header.Set("content-type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	check(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(err)
	return text
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	session := "/v1/sessions/" + os.Getenv("SESSION")
	roots, err := UnmarshalGrantedRoots(ask("GET", "/v1/roots", nil))
	check(err)
	refused, err := UnmarshalProblem(ask("POST", "/v1/context/resolve", []byte(\`{"mountedDirectory":"/etc"}\`)))
	check(err)
	item := RuleOrReferenceRef{Name: "brief", Type: "rule"}
	body, err := item.Marshal()
	check(err)
	ask("POST", session+"/context-items", body)
	changes, err := UnmarshalSessionChanges(ask("GET", session+"/changes?since=1", nil))
	check(err)
	for _, change := range changes.Changes {
		if change.Type == "item_added" {
			fmt.Printf("{\\"roots\\":%d,\\"refusal\\":\\"%s\\",\\"added\\":\\"%s\\"}\\n", len(roots.Roots), refused.Code, change.Item.Name)
		}
	}
}
`;

import { describe, expect, it } from 'vitest';
import { decideSensitive } from '../../src/access/sensitive.ts';
import { sensitiveNames } from '../../src/access/sensitive-names.ts';
import { compileGlob } from '../../src/globs/globs.ts';
import { sensitivePatterns } from '../support/sensitive-patterns.ts';

/** Files in which well-known programs keep secrets, where they lie. */
const wellKnown = `
.env .env.local .env.production .env.example prod.env .envrc .dev.vars .dev.vars.staging .flaskenv local.settings.json
server.key tls.pem server.crt a.p12 b.pfx debug.keystore release.jks trust.bks old.jceks AuthKey_X.p8 bundle.p7b x.snk
putty.ppk pgp.asc backup.gpg gradle/keystore.properties private.jwk
.ssh/id_rsa .ssh/config .ssh/known_hosts id_ed25519 id_ecdsa_sk deploy_rsa host_dsa server_key api_key.txt authorized_keys
.gnupg/secring.gpg .gnupg/private-keys-v1.d/x secring.skr .password-store/mail.gpg age-key.txt secrets.age minisign.sec
.config/sops/age/keys.txt Library/sops/age/keys.txt
vault.kdbx vault.kdb login.keychain login.keychain-db kdewallet.kwl a.psafe3 b.1pux bitwarden_export_2024.json lastpass.csv
passwords.txt .bw/data.json .config/op/config .local/share/keyrings/login.keyring
wallet.dat main.wallet keystore/UTC--2024-01-01T00-00-00Z--abc .config/solana/id.json mnemonic.txt .ethereum/keystore/x
.aws/credentials .aws/config credentials.json credentials.xml credentials.db .cargo/credentials.toml .gem/credentials
application_default_credentials.json .config/gcloud/credentials.db .config/gcloud/access_tokens.db
.azure/accessTokens.json .azure/azureProfile.json .boto .s3cfg .tugboat .dockercfg kaggle.json rootkey.csv
my-service-account.json service_account_prod.json serviceAccountKey.json shop-firebase-adminsdk-x1-2.json
client_secret_1.apps.googleusercontent.com.json gcp-key.json bob_accessKeys.csv .oci/config x.publishsettings
.config/doctl/config.yaml .docker/config.json .config/containers/auth.json .config/configstore/firebase-tools.json
.netlify/config.json .config/netlify/config.json .vercel/auth.json .cloudflared/cert.pem .cloudflared/x.json .ngrok2/ngrok.yml
ngrok.yml .databrickscfg .sentryclirc rclone.conf .config/rclone/rclone.conf .snowsql/config .config/stripe/config.toml .chef/knife.rb
terraform.tfstate terraform.tfstate.backup terraform.tfstate.1700000000.backup prod.tfvars prod.auto.tfvars.json .terraformrc
.terraform.d/credentials.tfrc.json .kube/config kubeconfig kubeconfig.yaml prod.kubeconfig staging-kubeconfig.yml
kubernetes/admin.conf kubernetes/super-admin.conf kubernetes/kubelet.conf messages/app/secrets.yml lang/server/auth.json
.vault-token .vault_pass .vault_pass.txt vault_pass.txt .pulumi/credentials.json .argocd/config
secrets.yml secrets.yaml secrets.json secrets.toml secrets.env secrets.ini secrets.properties secret.yaml .secrets
.secrets/token .secrets.toml secrets.prod.yaml app.secrets.yml secret_token.rb .streamlit/secrets.toml token.txt
.npmrc .yarnrc.yml .pnpmrc .pypirc .gemrc .condarc pip.conf .config/pip/pip.conf auth.json .composer/auth.json .m2/settings.xml
.m2/settings-security.xml .gradle/gradle.properties .nuget/NuGet.Config .bundle/config .config/pypoetry/auth.toml
.git-credentials .gitconfig .git/config .git/modules/lib/config .git/worktrees/a/config.worktree
.git/modules/a/modules/b/config shop.git/config shop.git/config.worktree shop.git/FETCH_HEAD shop.git/modules/libs/a/config .hgrc .netrc _netrc
.config/git/credentials .config/gh/hosts.yml .config/hub .config/glab-cli/config.yml .subversion/auth/svn.simple/x .jenkins/x.xml
.pgpass pgpass.conf .my.cnf .mylogin.cnf .pg_service.conf .cqlshrc .idea/dataSources.local.xml .idea/WebServers.xml
.dbeaver-data-sources.xml robomongo.json
etc/kubernetes/scheduler.conf kubernetes/controller-manager.conf super-admin.conf bootstrap-kubelet.conf artifacts/admin.conf
k3s.yaml rancher/rke2.yaml kube_config_cluster.yml cluster.rkestate talosconfig .talos/config
dump.sql backup.sql shop_dump.sql dump-2024.sql prod.sql.gz prod.dmp prod.dump app.hprof Heap.heapsnapshot crash.mdmp core.1234
.bash_history .zsh_history .sh_history .mysql_history .psql_history .sqlite_history .python_history .node_repl_history
.irb_history .rediscli_history fish_history ConsoleHost_history.txt .lesshst .viminfo .Rhistory .local/share/atuin/history.db
logins.json key3.db key4.db cert9.db cookies.sqlite cookies.txt signons.sqlite Cookies .mozilla/firefox/x.default/prefs.js
.thunderbird/profiles.ini .config/google-chrome/Default/Preferences mail.mbox archive.pst .muttrc .msmtprc .fetchmailrc
shadow gshadow etc/shadow- master.passwd .htpasswd htpasswd .htdigest smbpasswd .smbcredentials proftpdpasswd krb5.keytab
krb5cc_1000 NTDS.dit
client.ovpn wg0.conf wg-home.conf .wg/home.conf office.nmconnection wpa_supplicant.conf ipsec.secrets chap-secrets desk.rdp a.tblk
.claude.json .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .config/github-copilot/hosts.json
.local/share/opencode/auth.json .huggingface/token .cache/huggingface/token .aider.chat.history.md .continue/config.json
sftp-config.json .vscode/sftp.json .ftpconfig .remote-sync.json filezilla.xml recentservers.xml sitemanager.xml WinSCP.ini
.purple/accounts.xml .irssi/config .config/hexchat/servlist.conf
wp-config.php LocalSettings.php config.inc.php knife.rb .authinfo .wgetrc .curlrc ventrilo_srv.ini
`
  .trim()
  .split(/\s+/u)
  .concat(['Login Data', 'chrome/Default/Web Data', 'chrome/Local State']);

/** What looks like one of them and is code, prose, or what a project shows to everybody. */
const alike = `
secrets.md secrets.ts secrets.go secrets.rs secrets_test.py secret-santa.md docs/secrets/README.md secrets/rotation.md
host.pub deploy.pub keys.ts keyboard.json key.ts keystore.ts wallet.ts wallet/README.md wallets.md shadow.css shadow.ts
box-shadow.md shadows.md history.md version_history.txt bash-history.md CHANGELOG.md login.ts logins.ts cookies.ts cookie.md
config.json src/config.json docker/config.json .docker/Dockerfile kube/config.md kubeconfig.md kubeconfig.go settings.xml
gradle.properties terraform.md main.tf variables.tf outputs.tf service-account.md service-accounts.ts hosts.yml auth.ts
locales/de/auth.json src/i18n/en/secrets.json locales/pt-BR/secrets.yml locales/zh_Hans/auth.json admin.conf
kubernetes/nginx.conf
dump.ts dump.md schema.sql migrations/001_backup_table.sql seed.sql core.ts core.md core.1.2.md core.12345678 core
passwd.md password.ts passwords.ts token.ts tokens.txt tokens.json .gitignore .gitattributes .git/HEAD .git/info/exclude
.github/workflows/ci.yml .vscode/settings.json .idea/workspace.xml .claude/settings.json .claude/agents/x.md .claude/CLAUDE.md
.codex/config.toml .gemini/settings.json .gemini/GEMINI.md CLAUDE.md .cursor/rules/x.mdc .continue/rules/x.md .config/nvim/init.lua
boto.py netrc.md npmrc-example.md environment.ts env.d.ts vault.md vault_password.py auth-guide.md wp-config-guide.md
app/locale/pt_BR/auth.json l10n/zh-Hant-TW/secrets.yml translations/fil/secret.yaml
messages/en/auth.json src/lang/pt-BR/auth.json langs/de/auth.json languages/fr/auth.json dictionaries/en/auth.json
.github/workflows/k3s.yaml .github/workflows/rke2.yaml
apache/admin.conf kubernetes/admin.md kubernetes/coredns.conf scheduler.conf shop.git/HEAD shop.git/main/config
shop.git/config/routes.rb shop.git/main/modules/config/a.ts shop.git/hooks/config modules/a/config
routes/orgs.$orgSlug.env.$envParam.runs.ts config/prod.env.js tenant.key.service.ts foreign.key.test.tsx user.pem.py
readme.bak notes.old .notes.txt.swp firebase.json google-services.md cert.md p12.md wg0.md composer.json package.json
`
  .trim()
  .split(/\s+/u);

describe('names of secrets', () => {
  it('S-51 CC-18 well-known files with secrets are known, in any case, at any depth and as copies', () => {
    expect(new Set(wellKnown).size).toBeGreaterThan(185);
    for (const name of wellKnown)
      for (const path of [name, name.toUpperCase(), `/home/ada/shop/${name}`, `a\\${name}`, `${name}.bak`, `${name}~`])
        expect([path, decideSensitive(path) !== undefined]).toEqual([path, true]);
  });

  it('S-51 CC-18 what looks alike stays', () => {
    for (const name of alike)
      for (const path of [name, name.toUpperCase(), `/home/ada/shop/${name}`])
        expect([path, decideSensitive(path)]).toEqual([path, undefined]);
  });

  it('S-51 copies that editors make are as secret as what they copy', () => {
    for (const path of [
      '.npmrc.swp',
      'x/.secrets.yml.swp',
      'wallet.dat.old',
      '.pgpass.orig',
      'terraform.tfstate.backup',
    ])
      expect([path, decideSensitive(path) !== undefined]).toEqual([path, true]);
    expect(decideSensitive('.notes.md.swp')).toBeUndefined();
  });

  it('S-51 only what is surely a translation is excused', () => {
    for (const path of `messages/app/secrets.yml messages/de/secrets.yml lang/auth.json locales/secrets.yml locales/app/secrets.yml
      i18n/db/auth.json messages/auth.json messages/app/auth.json workflows/k3s.yaml .github/k3s.yaml locales/de/shop/secrets.yml locales/de/.secrets.yml locales/de/secrets.ini locales/de/auth.toml
      locales/de/.npmrc locales/de/pip.conf locales/de/secrets.prod.yml locales/de/app.secrets.json i18n/en/token.txt
      locales/de/.env locales/de/secrets.yml.bak locales/de-x/secrets.yml locales/de-a-b-c/auth.json de/secrets.yml`.split(
      /\s+/u,
    ))
      for (const each of [path, `/home/ada/${path}`, path.toUpperCase()])
        expect([each, decideSensitive(each) !== undefined]).toEqual([each, true]);
  });

  it('S-51 only a program may have such a part inside its name, and the beginning counts', () => {
    for (const path of `.env.ts .key.py .x.env.ts prod.env.json prod.env.local prod.env.yml server.key.txt server.key.md
      server.key.ts.bak prod.env server.pem api_key.ts main.tfvars.json routes/.env.runs.ts x.ts.env x.py.key`.split(
      /\s+/u,
    ))
      for (const each of [path, `/home/ada/${path}`, path.toUpperCase()])
        expect([each, decideSensitive(each) !== undefined]).toEqual([each, true]);
  });

  it('S-51 a program with such a part inside its name is secret for another reason all the same', () => {
    for (const path of `credentials.env.ts id_rsa.key.js server_key.pem.ts api_key.env.ts bitwarden_export_a.key.js
      secrets.json:a.key.ts id_rsa:a.key.ts x.key:a.env.ts jenkins.plugins.publish_over_ssh.a.key.java
      .kube/a.env.ts`.split(/\s+/u))
      for (const each of [path, `/home/ada/${path}`, path.toUpperCase()])
        expect([each, decideSensitive(each) !== undefined]).toEqual([each, true]);
  });

  it('S-51 a workflow that is called like an account of a cluster is secret when it is called like a key, too', () => {
    expect(decideSensitive('.github/workflows/kube_config_test.yml')).toBeUndefined();
    expect(decideSensitive('.github/workflows/kube_config_my_key.yml')).toEqual({ pattern: '*_key.*' });
  });

  it('S-51 each row says why, each pattern can be matched, none stands twice', () => {
    for (const { reason } of sensitiveNames) expect(reason).toMatch(/^[A-Z].{10,}\.$/u);
    expect(sensitivePatterns.toSorted()).toEqual([...new Set(sensitivePatterns)].toSorted());
    const unusable = sensitivePatterns.filter((pattern) => !('glob' in compileGlob(pattern)));
    expect(unusable).toEqual([]);
    expect(sensitivePatterns.filter((pattern) => pattern !== pattern.toLowerCase())).toEqual([]);
  });

  it('S-51 directories far above a file excuse nothing, and more sign-ins are known', () => {
    for (const path of `/home/ada/templates/app/secrets.yml /home/ada/lang/a/b/secrets.yml /home/ada/x/.env-prod
      /home/ada/.xauthority /home/ada/.dockerconfigjson /x/gh/hosts.yml env.production .aider.conf.yml .git/config.lock .git/logs/HEAD .git/FETCH_HEAD
      firebase-adminsdk.json .claude.json.backup.1700000000000`.split(/\s+/u))
      expect([path, decideSensitive(path) !== undefined]).toEqual([path, true]);
  });
});

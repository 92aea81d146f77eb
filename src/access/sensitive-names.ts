/**
 * Names of files that contain secrets, each with the reason. They are the list of the client-hosted context
 * specification (CC-18), what that list evidently means, and the files in which well-known programs store passwords,
 * tokens and keys. All names are in lower case.
 */
import { isProgram, isTranslationFile, isWorkflowFile } from './harmless-files.ts';

type SensitiveNames = Readonly<{
  reason: string;
  /** The last or any later dotted part of a name: `key` is `.key`, `.key.*`, `*.key` and `*.key.*`. */
  kinds?: readonly string[];
  /** The last dotted part of a name: `bks` is `*.bks`. */
  extensions?: readonly string[];
  /** Whole names. */
  names?: readonly string[];
  /** Names with one `*`, or with one at the beginning and one inside. */
  forms?: readonly string[];
  /**
   * Directories with all their content, and files in certain directories, at any depth. Places that begin with `*.git`
   * are files of bare repositories.
   */
  places?: readonly string[];
  /** Exceptions: whether a path, in lower case, is a file with such a name but without a secret. */
  stays?: (path: string) => boolean;
}>;

const words = (text: string): string[] => text.trim().split(/\s+/u);

/**
 * `secrets.yml`, `.secrets.toml`, …: files with values. Documents and programs about secrets (`secrets.md`,
 * `secrets.ts`) are not sensitive.
 */
const secretsFiles = words('yml yaml json json5 toml ini conf cfg properties xml txt enc plist').flatMap((extension) =>
  ['secrets', 'secret', '.secrets', '.secret'].map((name) => `${name}.${extension}`),
);

export const sensitiveNames: readonly SensitiveNames[] = [
  {
    reason:
      'Environment files hold passwords of what a program connects to. Spec 1 names ".env.*": examples are none to it.',
    kinds: ['env'],
    names: words('.envrc .dev.vars .flaskenv local.settings.json env.production'),
    forms: ['.dev.vars.*', '.env-*', '.env_*'],
    stays: isProgram,
  },
  {
    reason: 'Private keys, and the key stores and certificates beside them.',
    kinds: words('key pem crt p12 pfx jks keystore ppk asc gpg cer der p8 pk8 pkcs12'),
    extensions: words('bks jceks p7b p7c pvk snk bcfks keypair keyring agekey jwk jwks truststore mobileprovision'),
    names: words('otr.private_key key.properties keystore.properties signing.properties'),
    stays: isProgram,
  },
  {
    reason: 'Keys as ssh-keygen names them, and the hosts and accounts that they open.',
    forms: ['id_*', '*_rsa', '*_dsa', '*_ecdsa', '*_ed25519', '*_key', '*_key.*'],
    names: words('authorized_keys known_hosts'),
    places: ['.ssh'],
  },
  {
    reason: 'Keys of GnuPG, age, SOPS, minisign and pass.',
    forms: ['secring*', 'age-key*', 'age_key*'],
    extensions: ['age'],
    names: ['minisign.sec'],
    places: words('.gnupg .password-store .minisign .age .config/sops sops/age/keys.txt'),
  },
  {
    reason: 'Stores of password managers and desktops, and what they export.',
    kinds: ['kdbx'],
    extensions: words('kdb keychain keychain-db kwallet kwl psafe3 agilekeychain opvault 1pux 1pif enpassdb'),
    names: words('.lastpass lastpass.csv 1password.csv bitwarden.json passwords.csv passwords.txt password.txt'),
    forms: ['bitwarden_export_*', 'bitwarden_encrypted_export_*', '1password-credentials*'],
    places: [...words('.bw .op .config/op .1password .lpass .local/share/keyrings'), '.config/bitwarden cli'],
  },
  {
    reason: 'Wallets: the money belongs to who has the file.',
    extensions: ['wallet'],
    names: words('wallet.dat wallet.keys electrum.dat mnemonic.txt seed-phrase.txt seed_phrase.txt'),
    forms: ['utc--*'],
    places: words('.bitcoin .electrum/wallets .ethereum/keystore .config/solana .foundry/keystores'),
  },
  {
    reason: 'Credentials by name, whoever keeps them: AWS, Cargo, gems, Google Cloud, Jenkins, git.',
    extensions: ['credentials'],
    forms: ['credentials*', '.credentials*'],
    names: words(
      'application_default_credentials.json aws_credentials aws-credentials legacy_credentials access_tokens.db',
    ),
  },
  {
    reason: 'Accounts of cloud providers.',
    extensions: ['publishsettings', 'cscfg'],
    names: words('.boto .s3cfg .tugboat .dockercfg kaggle.json rootkey.csv accesstokens.json azureprofile.json'),
    forms: words(
      `*service-account*.json *service_account*.json *serviceaccount*.json *firebase-adminsdk*.json
      client_secret*.json gcp-key*.json google-credentials*.json *accesskeys.csv`,
    ),
    places: words(
      `.aws .azure .gcloud .config/gcloud .oci .aliyun .bluemix .ibmcloud .config/doctl .config/hcloud .config/scw
      .config/linode-cli .config/configstore .docker/config.json .config/containers/auth.json`,
    ),
  },
  {
    reason: 'Accounts of hosting services, and of tools that deploy and tunnel.',
    names: words('.netlifyrc .databrickscfg .sentryclirc .vultr-cli.yaml ngrok.yml rclone.conf .surge .now.json'),
    places: words(
      `.netlify .config/netlify .vercel .config/vercel .local/share/com.vercel.cli .fly/config.yml .cloudflared .wrangler
      .config/.wrangler .ngrok2 .config/ngrok .railway .heroku .config/stripe .config/firebase .config/rclone .snowsql
      .snowflake .chef`,
    ),
  },
  {
    reason: 'State and variables of infrastructure tools: every value in plain text.',
    kinds: ['tfstate', 'tfvars'],
    names: words(
      `.terraformrc terraform.rc .vault-token .vault_pass .vault_pass.txt .vaultpass .vault-password .vault_password
      vault_pass vault_pass.txt vault-password.txt vault_password.txt kubeconfig.yaml kubeconfig.yml kubeconfig.json`,
    ),
    forms: words('*kubeconfig *-kubeconfig.yaml *-kubeconfig.yml'),
    places: words(
      `kubernetes/admin.conf kubernetes/super-admin.conf kubernetes/kubelet.conf kubernetes/scheduler.conf kubernetes/controller-manager.conf
      .terraform.d .kube .pulumi/credentials.json .config/helm .argocd`,
    ),
  },
  {
    reason: 'Accounts of clusters, as kubeadm, k3s, RKE, Talos and Kubespray write them.',
    names: words('super-admin.conf bootstrap-kubelet.conf k3s.yaml rke2.yaml talosconfig'),
    forms: words('kube_config_*.yml kube_config_*.yaml'),
    extensions: ['rkestate'],
    places: words('.talos artifacts/admin.conf'),
    stays: isWorkflowFile,
  },
  {
    reason: 'Values that are set apart because they are secret.',
    names: [...secretsFiles, ...words('secrets .secrets .secret .token token.txt secret_token.rb')],
    forms: words(
      'secrets.*.yml secrets.*.yaml secrets.*.json secrets.*.toml *.secrets.yml *.secrets.yaml *.secrets.json',
    ),
    places: ['.secrets'],
    stays: isTranslationFile,
  },
  {
    reason: 'Tokens with which package managers publish and install.',
    names: words(
      '.npmrc .yarnrc.yml .yarnrc .pnpmrc .bunfig.toml .pypirc pip.conf .pip.conf .gemrc .condarc auth.json auth.toml',
    ),
    places: words(
      `.m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .gem .nuget/nuget.config .config/nuget
      .composer .cargo/credentials .bundle/config .ivy2 .hex .config/pypoetry .cabal/config .config/pip .pip`,
    ),
    stays: isTranslationFile,
  },
  {
    reason: 'Accounts of version control and code hosts, some within the addresses of remotes.',
    names: words(
      '.git-credentials .dockerconfigjson .xauthority .iceauthority .gitconfig .gitcookies .hgrc .netrc _netrc .gitrobrc',
    ),
    forms: ['jenkins.plugins.publish_over_ssh.*'],
    places: words(
      `.git/**/config .git/**/config.lock .git/**/config.worktree .git/**/logs .git/**/fetch_head *.git/config *.git/config.lock
      *.git/config.worktree *.git/fetch_head *.git/modules/**/config .config/git gh/hosts.yml .config/gh .config/hub .config/glab-cli .config/tea
      .subversion/auth .svn/auth .jenkins .circleci/cli.yml`,
    ),
  },
  {
    reason: 'Passwords of databases, and accounts that their clients remember.',
    names: words(
      `.pgpass pgpass.conf .my.cnf .mylogin.cnf .pg_service.conf .cqlshrc .odbc.ini robomongo.json
      dbeaver-data-sources.xml .dbeaver-data-sources.xml datasources.local.xml`,
    ),
    places: words('.dbeaver .mongodb .cassandra .idea/webservers.xml'),
  },
  {
    reason: 'Dumps: whole databases, or all that was in the memory of a program.',
    extensions: words('dmp dump mdmp hprof heapsnapshot sqldump pgdump rdb bacpac'),
    names: words('dump.sql backup.sql'),
    forms: words(
      `*-dump.sql *_dump.sql dump-*.sql dump_*.sql *-backup.sql *_backup.sql backup-*.sql *.sql.gz *.sql.bz2 *.sql.xz
      *.sql.zst *.sql.zip`,
    ),
  },
  {
    reason: 'What was typed: passwords in commands and statements.',
    names: words(
      `.history .lesshst .viminfo .octave_hist .dbshell .zhistory .rhistory fish_history consolehost_history.txt
      history.sqlite`,
    ),
    forms: ['.*_history'],
    places: words('.bash_sessions .zsh_sessions .local/share/atuin'),
  },
  {
    reason: 'What browsers and mail programs remember: passwords, sessions, mail.',
    extensions: words('pst ost mbox'),
    names: [
      ...words(
        'logins.json logins-backup.json key3.db key4.db cert9.db signons.sqlite cookies cookies.sqlite cookies.txt',
      ),
      ...words('places.sqlite formhistory.sqlite .muttrc .msmtprc .esmtprc .fetchmailrc .offlineimaprc .mbsyncrc'),
      ...['login data', 'login data for account', 'web data', 'local state'],
    ],
    places: words('.mozilla .thunderbird .config/google-chrome .config/chromium .config/bravesoftware .mutt'),
  },
  {
    reason: 'Accounts of an operating system or a server.',
    extensions: words('keytab htpasswd bek fve'),
    names: words(
      `shadow shadow- gshadow gshadow- master.passwd passwd- opasswd .htpasswd htpasswd .htdigest smbpasswd
      .smbcredentials proftpdpasswd ntds.dit .passwd`,
    ),
    forms: ['krb5cc_*'],
  },
  {
    reason: 'Keys of VPN and wireless networks, and remembered sign-ins to machines.',
    kinds: ['ovpn'],
    extensions: words('tblk nmconnection mobileconfig rdp rdg'),
    names: words(
      `wpa_supplicant.conf ipsec.secrets chap-secrets pap-secrets wireguard.conf wg0.conf wg1.conf wg2.conf wg3.conf
      wg4.conf wg5.conf wg6.conf wg7.conf wg8.conf wg9.conf`,
    ),
    forms: ['wg-*.conf'],
    places: words('.wg .wireguard .config/openvpn .cisco .tailscale'),
  },
  {
    reason: 'Sign-ins of AI tools, and what was said to them.',
    names: words('.claude.json oauth_creds.json .aider.chat.history.md .aider.input.history .aider.conf.yml'),
    places: words(
      `.claude/.credentials.json .claude/history.jsonl .claude/projects .codex/auth.json .codex/sessions
      .codex/history.jsonl .gemini/oauth_creds.json .gemini/google_accounts.json .config/github-copilot
      .local/share/opencode .huggingface .cache/huggingface/token .kaggle .continue/config.json .config/io.datasette.llm`,
    ),
  },
  {
    reason: 'Passwords of machines to which editors and transfer programs connect.',
    names: words(
      'sftp-config.json .ftpconfig .ftppass .remote-sync.json recentservers.xml sitemanager.xml filezilla.xml winscp.ini',
    ),
    places: words('.filezilla .config/filezilla .vscode/sftp.json .purple .irssi/config .xchat2 .config/hexchat'),
  },
  {
    reason: 'Configurations in which programs have their passwords written.',
    names: words(
      `wp-config.php localsettings.php config.inc.php knife.rb ventrilo_srv.ini .authinfo .passwd-s3fs .mailrc .wgetrc
      .curlrc .trc .twurlrc`,
    ),
  },
];

/**
 * Forms of well-known tokens: how one begins, of which characters it consists and how many follow. The forms are those
 * that the configuration of gitleaks (MIT License, https://github.com/gitleaks/gitleaks) gives for tokens that can be told
 * by their beginning. They are data and not regular expressions, nor a package of them: texts are other people's, so they
 * are searched in one pass whose time can be told.
 */

export type SecretForm = Readonly<{
  kind: string;
  prefix: string;
  alphabet: keyof typeof alphabets;
  /** Characters after the prefix. */
  least: number;
  /** More make it something else. Default: no bound. */
  most?: number;
  /** Parts between dots; the second of a JSON web token is JSON, too. */
  parts?: number;
}>;

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const digits = '0123456789';
export const alphabets = {
  hexadecimal: `${digits}abcdefABCDEF`,
  capitals: `${digits}ABCDEFGHIJKLMNOPQRSTUVWXYZ`,
  alphanumeric: `${digits}${letters}`,
  word: `${digits}${letters}_-`,
  dotted: `${digits}${letters}_-.=`,
  base64: `${digits}${letters}+/=`,
};

/** `prefix alphabet least[-most]`, a line each. */
const table = (kind: string, lines: string): SecretForm[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [prefix = '', alphabet, length = ''] = line.trim().split(/\s+/u);
      const [least, most] = length.split('-').map(Number);
      return {
        ...{ kind, prefix, alphabet: alphabet as keyof typeof alphabets, least: least ?? 0 },
        ...(length.includes('-') ? { most: most ?? 0 } : {}),
      };
    });

export const secretForms: readonly SecretForm[] = [
  ...table(
    'aws_access_key',
    `AKIA capitals 16-16
     ASIA capitals 16-16
     ABIA capitals 16-16
     ACCA capitals 16-16`,
  ),
  ...table('aws_bedrock_key', 'ABSK base64 109-280'),
  ...table('alibaba_access_key', 'LTAI alphanumeric 20-20'),
  ...table('azure_storage_key', 'AccountKey= base64 86-88'),
  ...table('google_api_key', 'AIza word 35-35'),
  ...table('google_oauth_secret', 'GOCSPX- word 28-28'),
  ...table('google_oauth_token', 'ya29. word 30'),
  ...table(
    'github_token',
    `ghp_ alphanumeric 36-251
     gho_ alphanumeric 36-251
     ghu_ alphanumeric 36-251
     ghs_ alphanumeric 36-251
     ghr_ alphanumeric 36-251
     github_pat_ word 82-82`,
  ),
  ...table(
    'gitlab_token',
    `glpat- dotted 20-320
     gldt- word 20
     glptt- hexadecimal 40-40
     glrt- dotted 20-320
     glcbt- word 20
     glffct- word 20
     glft- word 20
     glimt- word 25
     glagent- word 50
     gloas- word 64
     glsoat- word 20
     GR1348941 word 20-20`,
  ),
  ...table(
    'openai_key',
    `sk-proj- word 40
     sk-svcacct- word 40
     sk-admin- word 40
     sk- alphanumeric 48-48`,
  ),
  ...table('anthropic_key', 'sk-ant- word 80'),
  ...table('openrouter_key', 'sk-or-v1- hexadecimal 64-64'),
  ...table(
    'huggingface_token',
    `hf_ alphanumeric 34-40
     api_org_ alphanumeric 34-34`,
  ),
  ...table('perplexity_key', 'pplx- alphanumeric 48-48'),
  ...table('groq_key', 'gsk_ alphanumeric 52-52'),
  ...table('replicate_token', 'r8_ alphanumeric 37-40'),
  ...table(
    'slack_token',
    `xoxb- word 20
     xoxp- word 20
     xoxa- word 20
     xoxr- word 20
     xoxs- word 20
     xoxe- word 20
     xoxe.xoxb- word 20
     xoxe.xoxp- word 20
     xapp- word 20`,
  ),
  ...table(
    'slack_webhook',
    `hooks.slack.com/services/ base64 40
     hooks.slack.com/workflows/ base64 40
     hooks.slack.com/triggers/ base64 40`,
  ),
  ...table(
    'stripe_key',
    `sk_live_ alphanumeric 10-247
     sk_test_ alphanumeric 10-247
     sk_prod_ alphanumeric 10-247
     rk_live_ alphanumeric 10-247
     rk_test_ alphanumeric 10-247
     rk_prod_ alphanumeric 10-247
     whsec_ alphanumeric 32`,
  ),
  ...table(
    'square_token',
    `sq0atp- word 22-60
     sq0csp- word 43-43
     EAAA word 60-60`,
  ),
  ...table(
    'shopify_token',
    `shpat_ hexadecimal 32-32
     shpca_ hexadecimal 32-32
     shppa_ hexadecimal 32-32
     shpss_ hexadecimal 32-32`,
  ),
  ...table('npm_token', 'npm_ alphanumeric 36-36'),
  ...table('pypi_token', 'pypi-AgEIcHlwaS5vcmc word 50'),
  ...table('rubygems_key', 'rubygems_ hexadecimal 48-48'),
  ...table('clojars_token', 'CLOJARS_ alphanumeric 60-60'),
  ...table('nuget_key', 'oy2 alphanumeric 43-43'),
  ...table('docker_token', 'dckr_pat_ word 27-32'),
  ...table(
    'digitalocean_token',
    `dop_v1_ hexadecimal 64-64
     doo_v1_ hexadecimal 64-64
     dor_v1_ hexadecimal 64-64`,
  ),
  ...table('databricks_token', 'dapi hexadecimal 32-32'),
  ...table(
    'vault_token',
    `hvs. word 90
     hvb. word 138`,
  ),
  ...table('heroku_key', 'HRKU-AA word 58-58'),
  ...table(
    'fly_token',
    `fo1_ word 43-43
     fm1r_ base64 64
     fm1a_ base64 64
     fm2_ base64 64`,
  ),
  ...table('sendgrid_key', 'SG. dotted 66-66'),
  ...table('mailgun_key', 'key- hexadecimal 32-32'),
  ...table('brevo_key', 'xkeysib- word 81-81'),
  ...table('twilio_key', 'SK hexadecimal 32-32'),
  ...table(
    'grafana_token',
    `glc_ base64 32
     glsa_ word 41-41`,
  ),
  ...table('dynatrace_token', 'dt0c01. dotted 89-89'),
  ...table(
    'sentry_token',
    `sntryu_ hexadecimal 64-64
     sntrys_ base64 60`,
  ),
  ...table(
    'planetscale_token',
    `pscale_tkn_ dotted 32-64
     pscale_pw_ dotted 32-64
     pscale_oauth_ dotted 32-64`,
  ),
  ...table('pulumi_token', 'pul- hexadecimal 40-40'),
  ...table('postman_key', 'PMAK- word 59-59'),
  ...table('notion_token', 'ntn_ alphanumeric 46-46'),
  ...table('linear_key', 'lin_api_ alphanumeric 40-40'),
  ...table('doppler_token', 'dp.pt. alphanumeric 43-43'),
  ...table('readme_key', 'rdme_ alphanumeric 70-70'),
  ...table('sourcegraph_token', 'sgp_ word 40-57'),
  ...table('prefect_key', 'pnu_ alphanumeric 36-36'),
  ...table('openshift_token', 'sha256~ word 43-43'),
  ...table('onepassword_token', 'ops_eyJ base64 250'),
  ...table('age_key', 'AGE-SECRET-KEY-1 capitals 58-58'),
  { kind: 'json_web_token', prefix: 'eyJ', alphabet: 'dotted', least: 40, parts: 3 },
];

/**
 * Forms of well-known tokens: the beginning, the alphabet and the length. They come from the configuration of gitleaks
 * (MIT License, https://github.com/gitleaks/gitleaks), for tokens that are recognized by their beginning. They are data
 * instead of regular expressions, so that texts of other people are searched in one pass, in a known time.
 */

export type SecretForm = Readonly<{
  kind: string;
  prefix: string;
  alphabet: keyof typeof alphabets;
  /** Characters after the prefix. */
  min: number;
  /** A longer text is something else. Default: no limit. */
  max?: number;
  /** A JSON web token: three parts between dots. */
  isWeb?: boolean;
  /** It is long and special enough to count inside a word too. */
  anywhere?: boolean;
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

/** One form on each line: `prefix alphabet min[-max] [anywhere]`. */
const table = (kind: string, lines: string): SecretForm[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [prefix = '', alphabet, length = '', anywhere] = line.trim().split(/\s+/u);
      const [min, max] = length.split('-').map(Number);
      return {
        kind,
        prefix,
        alphabet: alphabet as keyof typeof alphabets,
        min: min ?? 0,
        max,
        anywhere: anywhere === 'anywhere',
      };
    });

export const secretForms: readonly SecretForm[] = [
  ...table(
    'aws_access_key',
    `AKIA capitals 16-16 anywhere
     ASIA capitals 16-16 anywhere
     ABIA capitals 16-16 anywhere
     ACCA capitals 16-16`,
  ),
  ...table('aws_bedrock_key', 'ABSK base64 109-280'),
  ...table('alibaba_access_key', 'LTAI alphanumeric 20-20'),
  ...table('azure_storage_key', 'AccountKey= base64 86-88'),
  ...table('google_api_key', 'AIza word 35-35 anywhere'),
  ...table('google_oauth_secret', 'GOCSPX- word 28-28 anywhere'),
  ...table('google_oauth_token', 'ya29. word 30'),
  ...table(
    'github_token',
    `ghp_ alphanumeric 36-251 anywhere
     gho_ alphanumeric 36-251 anywhere
     ghu_ alphanumeric 36-251 anywhere
     ghs_ alphanumeric 36-251 anywhere
     ghr_ alphanumeric 36-251 anywhere
     github_pat_ word 82-82 anywhere`,
  ),
  ...table(
    'gitlab_token',
    `glpat- dotted 20-320 anywhere
     gldt- word 20 anywhere
     glptt- hexadecimal 40-40 anywhere
     glrt- dotted 20-320 anywhere
     glcbt- word 20 anywhere
     glffct- word 20
     glft- word 20
     glimt- word 25
     glagent- word 50 anywhere
     gloas- word 64 anywhere
     glsoat- word 20 anywhere
     GR1348941 word 20-20 anywhere`,
  ),
  ...table(
    'openai_key',
    `sk-proj- word 40
     sk-svcacct- word 40 anywhere
     sk-admin- word 40
     sk- alphanumeric 48-48`,
  ),
  ...table('anthropic_key', 'sk-ant- word 80 anywhere'),
  ...table('openrouter_key', 'sk-or-v1- hexadecimal 64-64 anywhere'),
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
    `xoxb- word 20 anywhere
     xoxp- word 20 anywhere
     xoxa- word 20 anywhere
     xoxr- word 20 anywhere
     xoxs- word 20 anywhere
     xoxe- word 20 anywhere
     xoxe.xoxb- word 20 anywhere
     xoxe.xoxp- word 20 anywhere
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
    `shpat_ hexadecimal 32-32 anywhere
     shpca_ hexadecimal 32-32 anywhere
     shppa_ hexadecimal 32-32 anywhere
     shpss_ hexadecimal 32-32 anywhere`,
  ),
  ...table('npm_token', 'npm_ alphanumeric 36-36 anywhere'),
  ...table('pypi_token', 'pypi-AgEIcHlwaS5vcmc word 50 anywhere'),
  ...table('rubygems_key', 'rubygems_ hexadecimal 48-48 anywhere'),
  ...table('clojars_token', 'CLOJARS_ alphanumeric 60-60 anywhere'),
  ...table('nuget_key', 'oy2 alphanumeric 43-43'),
  ...table('docker_token', 'dckr_pat_ word 27-32 anywhere'),
  ...table(
    'digitalocean_token',
    `dop_v1_ hexadecimal 64-64 anywhere
     doo_v1_ hexadecimal 64-64 anywhere
     dor_v1_ hexadecimal 64-64 anywhere`,
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
     glsa_ word 41-41 anywhere`,
  ),
  ...table('dynatrace_token', 'dt0c01. dotted 89-89'),
  ...table(
    'sentry_token',
    `sntryu_ hexadecimal 64-64 anywhere
     sntrys_ base64 60 anywhere`,
  ),
  ...table(
    'planetscale_token',
    `pscale_tkn_ dotted 32-64 anywhere
     pscale_pw_ dotted 32-64 anywhere
     pscale_oauth_ dotted 32-64 anywhere`,
  ),
  ...table('pulumi_token', 'pul- hexadecimal 40-40'),
  ...table('postman_key', 'PMAK- word 59-59 anywhere'),
  ...table('notion_token', 'ntn_ alphanumeric 46-46'),
  ...table('linear_key', 'lin_api_ alphanumeric 40-40 anywhere'),
  ...table('doppler_token', 'dp.pt. alphanumeric 43-43'),
  ...table('readme_key', 'rdme_ alphanumeric 70-70'),
  ...table('sourcegraph_token', 'sgp_ word 40-57'),
  ...table('prefect_key', 'pnu_ alphanumeric 36-36'),
  ...table('openshift_token', 'sha256~ word 43-43'),
  ...table('onepassword_token', 'ops_eyJ base64 250 anywhere'),
  ...table('age_key', 'AGE-SECRET-KEY-1 capitals 58-58 anywhere'),
  { kind: 'json_web_token', prefix: 'eyJ', alphabet: 'dotted', min: 40, isWeb: true },
];

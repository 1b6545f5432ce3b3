/** The table of commands: what they take, what they say of themselves, and where their code is. */

import type { Option } from './args.ts'
import type { Verb } from './verb.ts'

const json: Option = { name: 'json', help: 'Print JSON instead of text.' }

export const verbs: readonly Verb[] = [
  {
    name: 'serve',
    words: '',
    takes: [0, 0],
    summary: 'Run the server. Also what happens without a command.',
    about: `Prepares the data directory, brings the database up to date (after a backup of it), and serves until TERM or INT
(Ctrl-C): then it answers what is under way for at most 10 seconds; a second signal ends it at once. The first line
on standard output is "listening on http://…"; while there is no administrator the next one is a one-time link that
makes the first. The log goes to standard error.`,
    options: [],
    settings: 'all',
    load: () => import('./serve.ts'),
  },
  {
    name: 'migrate',
    words: '',
    takes: [0, 0],
    summary: 'Bring the database up to date and stop.',
    about: `The server does the same when it starts. By itself this is for those who want to see it done before they start a
new version: the database is backed up into backups/ first, and each step happens wholly or not at all.`,
    options: [{ name: 'status', help: 'Only tell what there is to do.' }],
    settings: 'data',
    load: () => import('./migrate.ts'),
  },
  {
    name: 'admin',
    words: 'create USERNAME | list | reset-password USERNAME',
    takes: [1, 2],
    summary: 'Create and list administrators, set a new password for one.',
    about: `Works on the data directory while the server is stopped; while it runs, use its console. Without --password-file or
--generate the password is asked for. A new password ends all sessions of that administrator.`,
    options: [
      {
        name: 'password-file',
        value: 'FILE',
        help: 'Read the password from the first line of FILE (- for standard input).',
      },
      { name: 'generate', help: 'Make a strong password and print it.' },
      json,
    ],
    settings: 'data',
    load: () => import('./admin.ts'),
  },
  {
    name: 'backup',
    words: '[FILE]',
    takes: [0, 1],
    summary: 'Write everything into one file, also while the server runs.',
    about: `The file holds a consistent copy of the database, the uploaded files, the app packages and the keys, and a manifest
with the size and SHA-256 of each and the number of rows of each table. It appears under its name only when it is
complete and on disk. Without FILE it goes to backups/ in the data directory. Whoever has it has everything: keep it
as you keep a password.`,
    options: [
      { name: 'gzip', help: 'Write .tar.gz instead of .tar.zst: larger and slower, for tools that know only gzip.' },
      json,
    ],
    settings: 'data',
    load: () => import('./backup.ts'),
  },
  {
    name: 'restore',
    words: 'FILE',
    takes: [1, 1],
    summary: 'Put a backup in place of what is in the data directory.',
    about: `The server must be stopped. Every byte is checked before anything is changed: the archive, the hashes, the database
and its rows. What was there is kept in before-restore-<time>/ inside the data directory. Killed at any moment, the
next start finds either the old data or goes on to the new. With PostgreSQL the database it is restored into must be
empty: make a new one and point TESSERA_DATABASE_URL at it.`,
    options: [{ name: 'check', help: 'Only check the file; change nothing.' }],
    settings: 'data',
    load: () => import('./restore.ts'),
  },
  {
    name: 'check-config',
    words: '',
    takes: [0, 0],
    summary: 'Show the configuration, where each value comes from, and every mistake in it.',
    about: 'Secrets are masked. Ends with 2 when there is a mistake.',
    options: [json],
    settings: 'all',
    load: () => import('./check-config.ts'),
  },
  {
    name: 'healthcheck',
    words: '',
    takes: [0, 0],
    summary: 'Ask the running server whether it is well.',
    about:
      'Ends with 0 when it answers that it is UP within 5 seconds, else with 1. For container engines and monitors.',
    options: [],
    settings: 'data',
    load: () => import('./healthcheck.ts'),
  },
  {
    name: 'doctor',
    words: '',
    takes: [0, 0],
    summary: 'Check disk, permissions, clock, database and addresses, and say what to do.',
    about:
      'Changes nothing, and may run beside the server. Ends with 0 when nothing failed (warnings may remain), else with 1.',
    options: [json],
    settings: 'all',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'test-mail',
    words: 'ADDRESS',
    takes: [1, 1],
    summary: 'Send a mail to see whether the mail server takes it.',
    about: `Sends a code that is good for nothing, at once and not through the queue, and says what the server answered. Ends
with 0 when it took the mail, with 6 when it cannot be reached or refuses, with 2 when none is configured.

The mail server is an address in TESSERA_SMTP_URL, the sender is TESSERA_MAIL_FROM:
  smtps://USER:PASSWORD@HOST           TLS from the start, port 465
  smtp://USER:PASSWORD@HOST:PORT       STARTTLS, or nothing is sent; port 587
  ?tls=off                             in clear, without a password: a relay in your own network
  ?ca=FILE                             trust this certificate authority (PEM) instead of the system's`,
    options: [],
    settings: 'gateways',
    load: async () => ({ run: (await import('./test-gateways.ts')).testMail }),
  },
  {
    name: 'test-sms',
    words: 'NUMBER',
    takes: [1, 1],
    summary: 'Send a text message to see whether the SMS gateway takes it.',
    about: `Sends a code that is good for nothing, at once and not through the queue, and says what the gateway answered.
NUMBER is in international form (+8613800138000), or has the 11 digits of a Chinese mobile phone. Ends with 0 when the
gateway took it, with 6 when it cannot be reached or refuses, with 2 when none is configured.

The gateway is an address in TESSERA_SMS_URL:
  aliyun://KEY:SECRET@dysmsapi.aliyuncs.com?sign=SIGN&template=SMS_1[&param=code]
  tencent://ID:KEY@sms.tencentcloudapi.com?app=1400000000&sign=SIGN&template=1[&params=code,minutes][&region=ap-guangzhou]
  twilio://ACCOUNT_SID:AUTH_TOKEN@api.twilio.com?from=+15550100      or ?messaging-service=MG…
  https://:SECRET@HOST/PATH            a webhook of your own: a signed JSON POST
  log:                                 none; codes are written to the log
Aliyun and Tencent take sign-abroad and template-abroad for numbers outside the Chinese mainland.`,
    options: [],
    settings: 'gateways',
    load: async () => ({ run: (await import('./test-gateways.ts')).testSms }),
  },
  {
    name: 'version',
    words: '',
    takes: [0, 0],
    summary: 'Print the version.',
    about: 'With --json also the runtime and the platform.',
    options: [json],
    settings: 'none',
    load: () => import('./version.ts'),
  },
  {
    name: 'help',
    words: '[COMMAND | settings]',
    takes: [0, 1],
    summary: 'Explain a command, or the settings.',
    about: 'The same as COMMAND --help.',
    options: [],
    settings: 'none',
    load: async () => ({ run: (await import('./help.ts')).helpAbout(verbs) }),
  },
]

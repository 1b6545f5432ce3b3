/** The table of commands: their arguments, options, help texts and code. */

import type { Option } from './args.ts'
import type { Verb } from './verb.ts'

const json: Option = { name: 'json', help: 'Print JSON instead of text.' }

export const verbs: readonly Verb[] = [
  {
    name: 'serve',
    words: '',
    takes: [0, 0],
    summary: 'Run the server. This is the default command.',
    about: `Prepares the data directory, updates the database (after a backup of it), and serves until TERM or INT (Ctrl-C). Then
the server answers the requests under way for at most 10 seconds; a second signal ends it at once. The first line on
standard output is "listening on http://…". While there is no administrator, the next line is a one-time link to
create the first. The log is written to standard error.`,
    options: [],
    settings: 'all',
    load: () => import('./serve.ts'),
  },
  {
    name: 'service',
    words: 'install | status | start | stop | restart | uninstall',
    takes: [1, 1],
    summary: 'Install the server as a service, which starts with the machine, and control it.',
    about: `Only root or an administrator can do this, except status and --dry-run.

install copies this program to /usr/local/bin, makes a user that runs the server, and starts it: with systemd on Linux, as
a daemon of launchd on macOS, as a task on Windows. Settings of the command, of the environment and of tessera.toml in the
working directory are written to tessera.toml in the data directory, which only the user of the service can read. Prints
the address and the link that creates the first administrator; or the last lines of the log, if the server does not answer
within 30 seconds. Data that is there already is kept.

uninstall removes what install has made, but no data. The exit code of status is 0 if the service is running, 1 if it is
not, and 3 if it is not installed.`,
    options: [
      { name: 'name', value: 'NAME', help: 'Name of the service, if the machine has several. Default: tessera.' },
      { name: 'user', value: 'USER', help: 'User that runs the server. It is made if it does not exist.' },
      { name: 'force', help: 'Replace a service and a program that are already there. Data is kept.' },
      { name: 'dry-run', help: 'Only print the files and commands.' },
      {
        name: 'purge',
        value: 'DIRECTORY',
        help: 'With uninstall: also delete the data directory, which is DIRECTORY.',
      },
      { name: 'yes', help: 'With --purge: do it.' },
    ],
    settings: 'all',
    load: () => import('./service.ts'),
  },
  {
    name: 'migrate',
    words: '',
    takes: [0, 0],
    summary: 'Update the database to this version.',
    about: `The server does the same at every start; this command only lets you check the update of the database first. SQLite
is backed up to backups/ before, and each migration is applied completely or not at all. Processes that share a PostgreSQL
database may run meanwhile if the new migrations only add something; those that remove something are then left.`,
    options: [
      { name: 'status', help: 'Only list the migrations, and say whether the version before can use the database.' },
      { name: 'contract', help: 'Also apply migrations that remove something, if no older process runs.' },
      { ...json, help: 'With --status: print JSON instead of text.' },
    ],
    settings: 'data',
    load: () => import('./migrate.ts'),
  },
  {
    name: 'admin',
    words: 'create USERNAME | list | reset-password USERNAME | reset-code USERNAME | disable-totp USERNAME',
    takes: [1, 2],
    summary: 'Create and list administrators, reset a password, or switch off two-factor sign-in.',
    about: `reset-code works while the server runs: it prints a code with which any user sets a new password within 24 hours, on the page
/console/start. For the other actions, the server must be stopped; while it runs, use the web application. Without
--password-file and --generate, the command asks for the password. A new password ends all sessions of the user.
disable-totp removes the second factor and the passkeys of a user who lost the authenticator app and the recovery codes; it also
takes the id that admin list shows, and ends all sessions.`,
    options: [
      {
        name: 'password-file',
        value: 'FILE',
        help: 'Read the password from the first line of FILE (- for standard input).',
      },
      { name: 'generate', help: 'Generate a strong password and print it.' },
      json,
    ],
    settings: 'data',
    load: () => import('./admin.ts'),
  },
  {
    name: 'publisher-key',
    words: 'create NAME | list | revoke ID',
    takes: [1, 2],
    summary: 'Make, list and revoke the keys of programs that publish the app.',
    about: `Works while the server runs, and takes effect at once. A program sends its key as X-Publish-Key to upload packages and to
publish versions; it can do nothing else with it. create prints the key once: only its hash is stored.`,
    options: [json],
    settings: 'data',
    load: () => import('./publisher-key.ts'),
  },
  {
    name: 'publish',
    words: 'FILE',
    takes: [1, 1],
    summary: 'Upload an app package to a server and publish it.',
    about: `Works on any machine, for example in CI: it needs the address of the server and a publisher key, and no data directory.
FILE keeps its name on the server, where the bytes of a name never change. If the command fails, run it again: a package
and a version that are already there stay as they are. The version code must be greater than every published one.`,
    options: [
      { name: 'version-code', value: 'NUMBER', help: 'Version code, which apps compare: 1 to 2147483647.' },
      { name: 'version-name', value: 'NAME', help: 'Version as users see it: 1.4.0.' },
      { name: 'notes', value: 'FILE', help: 'Release notes in Markdown.' },
      { name: 'force', help: 'Apps must update before they continue.' },
      { name: 'major', help: 'Mark the version as a major one, to which apps must update too.' },
      { name: 'server', value: 'URL', help: 'Address of the server: https://qr.example.org.' },
      {
        name: 'key-file',
        value: 'FILE',
        help: 'Read the publisher key from FILE (- for standard input) instead of TESSERA_PUBLISH_KEY.',
      },
      json,
    ],
    settings: 'none',
    load: () => import('./publish.ts'),
  },
  {
    name: 'api',
    words: 'METHOD PATH',
    takes: [2, 2],
    summary: 'Call an operation of a server with an API key.',
    about: `Works on any machine: it needs the address of the server and an API key, and no data directory. Prints the data of the answer
as JSON; files and pictures are printed as they are. If the server says that it wants to be asked later (429), the command
waits up to a minute. Refusals are printed to standard error with their code and request id.

  tessera api GET /api/assets --query status=IN_USE --all
  tessera api POST /api/assets --data '{"name": "Violin 3"}'

The exit code is 0 for an answer, 4 if the server refuses (4xx), 5 if it fails (5xx), 7 if it does not answer.`,
    options: [
      { name: 'url', value: 'URL', help: 'Address of the server: https://qr.example.org. Default: TESSERA_API_URL.' },
      {
        name: 'key-file',
        value: 'FILE',
        help: 'Read the API key from FILE (- for standard input) instead of TESSERA_API_KEY.',
      },
      { name: 'data', value: 'JSON', help: 'The body: JSON, @FILE, or - for standard input.' },
      {
        name: 'query',
        value: 'NAME=VALUE',
        help: 'A parameter of the query. May be given several times.',
        repeats: true,
      },
      { name: 'all', help: 'Follow the pages of a list, and print each row on a line of its own.' },
      { name: 'raw', help: 'Print the answer as the server sends it.' },
      { name: 'output', value: 'FILE', help: 'Write to FILE instead of standard output.' },
    ],
    settings: 'none',
    load: () => import('./api.ts'),
  },
  {
    name: 'rotate-pass-key',
    words: '',
    takes: [0, 0],
    summary: 'Replace the key that signs passes.',
    about: `Works while the server runs, and takes effect at once. Passes that the old key signed stay valid. The server also replaces
the key once a year. Gates that check passes without a network must download the keys again.`,
    options: [],
    settings: 'data',
    load: () => import('./rotate-pass-key.ts'),
  },
  {
    name: 'rotate-local-authority',
    words: '',
    takes: [0, 0],
    summary: 'Replace the certificate authority of a server with --lan.',
    about: `For a key that may have become known, or names that have changed. Works while the server runs, which then makes a new
authority within a minute. All devices must trust the new one.`,
    options: [],
    settings: 'data',
    load: () => import('./rotate-local-authority.ts'),
  },
  {
    name: 'backup',
    words: '[FILE]',
    takes: [0, 1],
    summary: 'Back up all data to one file, even while the server runs.',
    about: `The file contains a consistent copy of the database, the uploaded files, the app packages, the keys, and a manifest
with the size and SHA-256 of each file and the number of rows of each table. It gets its name only when it is
complete and on disk. Without FILE it is written to the folder of backups: TESSERA_BACKUP_DIR, otherwise the one chosen
in the browser, otherwise backups/ in the data directory. It contains all secrets: protect it like a password.`,
    options: [
      { name: 'gzip', help: 'Write .tar.gz instead of .tar.zst: larger and slower, for tools that know only gzip.' },
      json,
    ],
    settings: 'backup',
    load: () => import('./backup.ts'),
  },
  {
    name: 'restore',
    words: 'FILE',
    takes: [1, 1],
    summary: 'Replace the data by a backup.',
    about: `The server must be stopped. Before any data is changed, every byte is checked: the archive, the hashes, the database and
its rows. The old data is kept in before-restore-<time>/ inside the data directory. If the command is killed, the next
start finds the old data or completes the restore. With PostgreSQL the backup is restored to an empty database: create
one and set TESSERA_DATABASE_URL to it. All sessions end, because sessions and passwords that were changed after the
backup would be valid again.`,
    options: [
      { name: 'check', help: 'Only check the file; change no data.' },
      { name: 'keep-sessions', help: 'Keep the sessions of the backup, so that nobody has to sign in again.' },
    ],
    settings: 'data',
    load: () => import('./restore.ts'),
  },
  {
    name: 'check-config',
    words: '',
    takes: [0, 0],
    summary: 'Show the configuration, the source of each value, and all mistakes.',
    about: 'Secrets are masked. The exit code is 2 if there is a mistake.',
    options: [json],
    settings: 'all',
    load: () => import('./check-config.ts'),
  },
  {
    name: 'healthcheck',
    words: '',
    takes: [0, 0],
    summary: 'Check that the server is running and healthy.',
    about:
      'The exit code is 0 if the server answers UP within 5 seconds, otherwise 1. For container engines and monitors.',
    options: [
      { name: 'live', help: 'Only check that the program answers, whatever the state of the database and the disk.' },
      { name: 'ready', help: 'Check whether requests should come to this process.' },
    ],
    settings: 'data',
    load: () => import('./healthcheck.ts'),
  },
  {
    name: 'doctor',
    words: '',
    takes: [0, 0],
    summary: 'Check disk, permissions, clock, database and addresses, and advise what to do.',
    about:
      'Changes no data and can run beside the server. The exit code is 1 if a check failed, otherwise 0, even with warnings.',
    options: [json, { name: 'files', help: 'Also read all stored files and compare them with the database.' }],
    settings: 'all',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'dashboard',
    words: '',
    takes: [0, 0],
    summary: 'Print a Grafana dashboard, or alerts for Prometheus.',
    about: `Import the output in Grafana under Dashboards → New → Import. Prometheus must read GET /actuator/metrics of each process, in a
scrape job with the name "tessera": see TESSERA_METRICS_TOKEN. With --alerts, put the output into a file under rule_files.`,
    options: [{ name: 'alerts', help: 'Print rules for Prometheus instead.' }],
    settings: 'none',
    load: () => import('./dashboard.ts'),
  },
  {
    name: 'files',
    words: 'adopt',
    takes: [1, 1],
    summary: 'Take over stored files that belong to another database.',
    about: `The first start writes the same random id into the database and into the folder or bucket of files. Where they differ,
no clean-up deletes a file, and doctor and the health details say so: the server may use the wrong database, or another
server may use the same bucket. adopt writes the id of this database there. From the next day on, files that this
database does not know are deleted, so make sure that no other server uses them. Works while the server runs.`,
    options: [],
    settings: 'data',
    load: () => import('./files.ts'),
  },
  {
    name: 'log',
    words: 'verify',
    takes: [1, 1],
    summary: 'Verify that nobody has changed the operation log.',
    about: `Changes no data and can run while the server runs. Reads all rows of the operation log and checks hashes, signatures, ids and
the newest row. Prints the number of rows, the newest row (head), and the last row that the retention has deleted
(checkpoint), each as ID:HASH. The exit code is 1 if something is wrong; the last line then names the first wrong row.

The server writes the head to its log at each start and once a day ("operation log witness"), and the id and hash of each
change ("operation logged"). Keep that log on another machine: with --since ID:HASH of such a line, the command also finds
out whether an older copy of the database was put in place.`,
    options: [
      { name: 'since', value: 'ID:HASH', help: 'Check that the log still has this row, from a witness line.' },
      {
        name: 'old-key-until',
        value: 'ID',
        help: 'The signing key was replaced after this row: accept signatures of another key up to it. Give --since too.',
      },
      json,
    ],
    settings: 'data',
    load: () => import('./log.ts'),
  },
  {
    name: 'test-mail',
    words: 'ADDRESS',
    takes: [1, 1],
    summary: 'Send a test mail.',
    about: `Sends a code that is not valid for anything, at once and without the queue, and prints the answer of the mail server.
The exit code is 0 if the server accepted the mail, 6 if it cannot be reached or refuses, 2 if none is configured.

TESSERA_SMTP_URL is the address of the mail server, TESSERA_MAIL_FROM the sender:
  smtps://USER:PASSWORD@HOST           TLS from the start, port 465
  smtp://USER:PASSWORD@HOST:PORT       STARTTLS, port 587; without it nothing is sent
  ?tls=off                             unencrypted, without a password: for a relay in your own network
  ?ca=FILE                             trust this certificate authority (PEM) instead of those of the system`,
    options: [],
    settings: 'gateways',
    load: async () => ({ run: (await import('./test-gateways.ts')).testMail }),
  },
  {
    name: 'test-sms',
    words: 'NUMBER',
    takes: [1, 1],
    summary: 'Send a test SMS.',
    about: `Sends a code that is not valid for anything, at once and without the queue, and prints the answer of the gateway. NUMBER
is in international form (+8613800138000) or has the 11 digits of a mobile phone in mainland China. The exit code is 0
if the gateway accepted the message, 6 if it cannot be reached or refuses, 2 if none is configured.

TESSERA_SMS_URL is the address of the gateway:
  aliyun://KEY:SECRET@dysmsapi.aliyuncs.com?sign=SIGN&template=SMS_1[&param=code]
  tencent://ID:KEY@sms.tencentcloudapi.com?app=1400000000&sign=SIGN&template=1[&params=code,minutes][&region=ap-guangzhou]
  twilio://ACCOUNT_SID:AUTH_TOKEN@api.twilio.com?from=+15550100      or ?messaging-service=MG…
  https://:SECRET@HOST/PATH            your own webhook: a signed JSON POST
  http://:SECRET@HOST/PATH?tls=off     the same, unencrypted, in your own network
  log:                                 no gateway; codes are written to the log
Aliyun and Tencent accept sign-abroad and template-abroad for numbers outside mainland China.`,
    options: [],
    settings: 'gateways',
    load: async () => ({ run: (await import('./test-gateways.ts')).testSms }),
  },
  {
    name: 'version',
    words: '',
    takes: [0, 0],
    summary: 'Print the version.',
    about:
      'Prints the version, the commit, the runtime and the platform; with --json also the public key of the release.',
    options: [json],
    settings: 'none',
    load: () => import('./version.ts'),
  },
  {
    name: 'verify-release',
    words: 'DIRECTORY',
    takes: [1, 1],
    summary: 'Check that downloaded files are those of a release.',
    about: `Checks SHA256SUMS.sig, the signature of SHA256SUMS, and the files of SHA256SUMS that are in DIRECTORY. The exit code is 1 if
the signature is wrong or a file was changed. The key is built into the program: use the program that you have, not the
one that you check. Without Tessera: minisign -V -m SHA256SUMS -x SHA256SUMS.sig -P KEY && sha256sum -c --ignore-missing
SHA256SUMS.`,
    options: [{ name: 'key-file', value: 'FILE', help: 'Use the public key in FILE (minisign) instead.' }],
    settings: 'none',
    load: () => import('./verify-release.ts'),
  },
  {
    name: 'licenses',
    words: '',
    takes: [0, 0],
    summary: 'Print the licences of the software in this program.',
    about: `All packages whose code is in the program, with the runtime, and the texts of their licences. The page /licenses of a
server shows the same.`,
    options: [json],
    settings: 'none',
    load: async () => ({ run: (await import('./licenses.ts')).printLicenses }),
  },
  {
    name: 'sbom',
    words: '',
    takes: [0, 0],
    summary: 'Print the software bill of materials (CycloneDX 1.6).',
    about: 'For scanners that look for packages with known vulnerabilities.',
    options: [],
    settings: 'none',
    load: async () => ({ run: (await import('./licenses.ts')).printSbom }),
  },
  {
    name: 'help',
    words: '[COMMAND | settings]',
    takes: [0, 1],
    summary: 'Explain a command or the settings.',
    about: 'The same as "tessera COMMAND --help".',
    options: [],
    settings: 'none',
    load: async () => ({ run: (await import('./help.ts')).helpAbout(verbs) }),
  },
]

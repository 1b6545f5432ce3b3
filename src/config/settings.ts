/** The table of settings: source of the reader, `--help`, `check-config` and the table in docs/operations.md. */

import { resolve } from 'node:path'

import { isHostName } from '#lib/host-name.ts'
import { parseIp } from '#lib/ip.ts'

import { parseAddress, parseOrigin } from './addresses.ts'
import { type Config, defaultConfig, DOMAIN_HTTP_PORT, DOMAIN_PORT, LAN_PORT, MIN_CONNECTIONS } from './config.ts'
import {
  maskGateway,
  parseCollector,
  parseHeaders,
  parseMailbox,
  parseOneClick,
  parseSms,
  parseSmtp,
} from './gateways.ts'
import { domains, files, MAX_DOMAINS, origins, proxies } from './lists.ts'
import { readStorageUrl } from './storage.ts'

export type SettingKey = Exclude<keyof Config, 'checkAnswers' | 'poolerUrl'>

export interface Setting<K extends SettingKey = SettingKey> {
  readonly key: K
  /** The placeholder of the value in help: `--port NUMBER`. */
  readonly value: string
  readonly help: string
  /** Ends the sentence "X must be …". */
  readonly accepts: string
  /** The default as help shows it. */
  readonly fallback: string
  /** Its flag has no value and means `on`. */
  readonly isSwitch?: true
  /** Never shown. Can be read from a file: `TESSERA_X_FILE`, `--x-file`, `x_file`. */
  readonly secret?: true
  /** For a secret: the value with its secret parts masked. Without this function all of it is masked. */
  mask?(value: string): string
  /** Continues that sentence with the mistake in a text that is not accepted, without secrets. */
  mistake?(text: string): string
  /** Undefined if the text is not accepted. Relative paths are resolved against `directory`. */
  parse(text: string, directory: string): Config[K] | undefined
}

const setting = <K extends SettingKey>(s: Setting<K>): Setting => s as unknown as Setting

const oneOf =
  <T extends string>(...values: T[]) =>
  (text: string): T | undefined =>
    values.find((value) => value === text.toLowerCase())

const onOrOff = (text: string): boolean | undefined =>
  ({ on: true, true: true, off: false, false: false })[text.toLowerCase()]

function wholeNumber(text: string, max: number): number | undefined {
  return /^\d{1,9}$/.test(text) && Number(text) <= max ? Number(text) : undefined
}

function postgresUrl(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return undefined
  return new URL(text).pathname.length > 1 ? text : undefined
}

function maskDatabase(text: string): string {
  const url = new URL(text)
  if (url.password !== '') url.password = '***'
  for (const name of url.searchParams.keys()) if (/password|key/i.test(name)) url.searchParams.set(name, '***')
  return url.href
}

const path = (text: string, directory: string): string | undefined =>
  text.includes('\0') ? undefined : resolve(directory, text)

const httpsUrl = (text: string): string | undefined =>
  /^https:\/\//i.test(text) && URL.canParse(text) && new URL(text).username === '' ? new URL(text).href : undefined

const webUrl = (text: string): string | undefined =>
  /^https?:\/\//i.test(text) && URL.canParse(text) && new URL(text).username === '' && new URL(text).password === ''
    ? new URL(text).href
    : undefined

/** Shorter secrets can be guessed offline from one token. 32 characters of hex or base64 have at least 128 bits. */
const MIN_SECRET_LENGTH = 32

const MIN_TOKEN_LENGTH = 16
/** Characters that a header can have. */
const METRICS_TOKEN = new RegExp(`^[!-~]{${MIN_TOKEN_LENGTH},200}$`)

export const settings: readonly Setting[] = [
  setting({
    key: 'host',
    value: 'ADDRESS',
    help: 'Address to listen on. 127.0.0.1 for this machine only, 0.0.0.0 or :: for all networks.',
    accepts: 'an IP address or a host name',
    fallback: `${defaultConfig.host}; all addresses with TESSERA_DOMAIN or TESSERA_LAN`,
    parse: (text) => (parseIp(text) || isHostName(text) ? text : undefined),
  }),
  setting({
    key: 'port',
    value: 'NUMBER',
    help: 'Port to listen on. 0 for any free port, which is printed at start.',
    accepts: 'a whole number from 0 to 65535',
    fallback: `${defaultConfig.port}; ${DOMAIN_PORT} with TESSERA_DOMAIN, ${LAN_PORT} with TESSERA_LAN`,
    parse: (text) => wholeNumber(text, 65_535),
  }),
  setting({
    key: 'tlsCert',
    value: 'FILE',
    help: 'Certificate with its chain (PEM), to serve HTTPS without a reverse proxy. Changed files are used at once.',
    accepts: 'the path of a file',
    fallback: 'none; plain HTTP',
    parse: path,
  }),
  setting({
    key: 'tlsKey',
    value: 'FILE',
    help: 'Private key of the certificate (PEM).',
    accepts: 'the path of a file',
    fallback: 'none',
    parse: path,
  }),
  setting({
    key: 'domain',
    value: 'NAMES',
    help: 'Names for which the server gets a certificate itself, and so agrees to the terms of the authority: docs/operations.md, "HTTPS by itself".',
    accepts: `1 to ${MAX_DOMAINS} names such as qr.example.org,www.example.org, separated by commas, the first without *`,
    fallback: 'none',
    parse: domains,
  }),
  setting({
    key: 'acmeEmail',
    value: 'ADDRESS',
    help: 'Contact for the certificate authority.',
    accepts: 'an address such as admin@example.org',
    fallback: 'none',
    parse: (text) => (/^[^\s@,?&]+@[^\s@,?&]+$/.test(text) ? text : undefined),
  }),
  setting({
    key: 'acmeDirectory',
    value: 'URL',
    help: 'Directory of the certificate authority (ACME, RFC 8555).',
    accepts: 'an address such as https://ca.example.org/acme/directory',
    fallback: `Let's Encrypt`,
    parse: httpsUrl,
  }),
  setting({
    key: 'acmeCa',
    value: 'FILE',
    help: 'Certificates by which the server trusts the directory of a private authority (PEM).',
    accepts: 'the path of a file',
    fallback: 'those of the system',
    parse: path,
  }),
  setting({
    key: 'acmeDnsCommand',
    value: 'PROGRAM',
    help: 'Program that sets DNS records, to prove the names without port 80: called as PROGRAM present|cleanup NAME VALUE.',
    accepts: 'the path of a program',
    fallback: 'none; the authority asks port 80',
    parse: path,
  }),
  setting({
    key: 'lan',
    value: 'on|off',
    isSwitch: true,
    help: 'HTTPS for a private network, with a certificate of this server: docs/operations.md, "HTTPS in your own network".',
    accepts: 'on or off',
    fallback: 'off',
    parse: onOrOff,
  }),
  setting({
    key: 'httpPort',
    value: 'NUMBER|off',
    help: 'With HTTPS: port for plain HTTP, which leads to the public address.',
    accepts: 'off, or a whole number from 0 to 65535',
    fallback: `off; ${DOMAIN_HTTP_PORT} with TESSERA_DOMAIN`,
    parse: (text) => (text === 'off' ? null : wholeNumber(text, 65_535)),
  }),
  setting({
    key: 'publicUrl',
    value: 'URL',
    help: 'Address of the server for its users. Printed links and QR codes begin with it.',
    accepts: 'an address such as https://qr.example.org, without a path',
    fallback:
      'http://localhost:<port>, https:// with a certificate, the first name of TESSERA_DOMAIN, or the address in the network with TESSERA_LAN',
    parse: parseOrigin,
  }),
  setting({
    key: 'shortUrl',
    value: 'URL',
    help: 'Address at which short links begin. With another host than the public address, they have no /q/.',
    accepts: 'an address such as https://go.example.org, without a query',
    fallback: 'the public address',
    parse: parseAddress,
  }),
  setting({
    key: 'dataDir',
    value: 'DIRECTORY',
    help: 'Directory of all data: database, files, keys, backups.',
    accepts: 'the path of a directory',
    fallback: './data',
    parse: path,
  }),
  setting({
    key: 'databaseUrl',
    value: 'URL',
    help: 'PostgreSQL database to use instead of the embedded SQLite one.',
    accepts: 'an address such as postgres://user:password@host:5432/database',
    fallback: 'SQLite in the data directory',
    secret: true,
    mask: maskDatabase,
    parse: postgresUrl,
  }),
  setting({
    key: 'databaseDirectUrl',
    value: 'URL',
    help: 'The same database past a pooler such as PgBouncer: docs/operations.md, "Poolers".',
    accepts: 'an address such as postgres://user:password@host:5432/database',
    fallback: 'none; no pooler in transaction mode',
    secret: true,
    mask: maskDatabase,
    parse: postgresUrl,
  }),
  setting({
    key: 'databaseReadUrl',
    value: 'URL',
    help: 'Replica of the database for backups, statistics and exports: docs/operations.md, "A replica for reads".',
    accepts: 'an address such as postgres://user:password@host:5432/database',
    fallback: 'none; all reads go to the database',
    secret: true,
    mask: maskDatabase,
    parse: postgresUrl,
  }),
  setting({
    key: 'databaseConnections',
    value: 'NUMBER',
    help: 'The most connections that this process opens to PostgreSQL. Several processes need 9 or more each.',
    accepts: `a whole number from ${MIN_CONNECTIONS} to 100`,
    fallback: String(defaultConfig.databaseConnections),
    parse: (text) => (Number(text) >= MIN_CONNECTIONS ? wholeNumber(text, 100) : undefined),
  }),
  setting({
    key: 'storageUrl',
    value: 'URL',
    help: 'S3 bucket for files: s3://KEY:SECRET@host/bucket?region=REGION. Parameters: docs/operations.md, "Files in S3".',
    accepts: 'the complete address of a bucket, such as s3://KEY:SECRET@s3.example.org/bucket?region=eu-central-1',
    fallback: 'files are in the data directory',
    secret: true,
    mask: maskGateway,
    mistake: (text) => String(readStorageUrl(text)),
    parse: (text) => (typeof readStorageUrl(text) === 'string' ? undefined : text),
  }),
  setting({
    key: 'sharedFiles',
    value: 'DIRECTORY',
    help: 'Directory of files that several processes share. Requires PostgreSQL: docs/operations.md, "Several processes".',
    accepts: 'the path of a directory',
    fallback: 'files are in the data directory, for one process',
    parse: path,
  }),
  setting({
    key: 'backupDir',
    value: 'DIRECTORY',
    help: 'Folder of backups, best on another disk. Several processes need one that all of them reach.',
    accepts: 'the path of a directory',
    fallback: 'the folder chosen in the browser, otherwise backups/ in the data directory',
    parse: path,
  }),
  setting({
    key: 'secret',
    value: 'TEXT',
    help: 'Key that signs tokens, at least 32 characters. Changing it signs out all users.',
    accepts: `at least ${MIN_SECRET_LENGTH} characters long`,
    fallback: 'generated once and kept in keys/',
    secret: true,
    parse: (text) => (text.length >= MIN_SECRET_LENGTH ? text : undefined),
  }),
  setting({
    key: 'metricsToken',
    value: 'TEXT',
    help: 'Token with which Prometheus reads GET /actuator/metrics, at least 16 characters.',
    accepts: `${MIN_TOKEN_LENGTH} to 200 letters, digits and signs without spaces`,
    fallback: 'none; an administrator is needed',
    secret: true,
    parse: (text) => (METRICS_TOKEN.test(text) ? text : undefined),
  }),
  setting({
    key: 'otlpUrl',
    value: 'URL',
    help: 'OpenTelemetry collector that gets traces by OTLP over HTTP: docs/operations.md, "Traces".',
    accepts: 'an address such as http://localhost:4318, without a user, a password and parameters',
    fallback: 'none; no traces',
    parse: parseCollector,
  }),
  setting({
    key: 'otlpHeaders',
    value: 'HEADERS',
    help: 'Headers for the collector, such as "authorization=Bearer%20TOKEN", separated by commas.',
    accepts: 'pairs such as authorization=Bearer%20TOKEN, separated by commas',
    fallback: 'none',
    secret: true,
    parse: (text) => (parseHeaders(text) === undefined ? undefined : text),
  }),
  setting({
    key: 'traceRatio',
    value: 'NUMBER',
    help: 'Share of requests that are traced. Errors and requests over a second always are.',
    accepts: 'a number from 0 to 1',
    fallback: String(defaultConfig.traceRatio),
    parse: (text) => (/^[01](\.\d{1,6})?$/.test(text) && Number(text) <= 1 ? Number(text) : undefined),
  }),
  setting({
    key: 'adminUsername',
    value: 'NAME',
    help: 'Administrator to create at start if there is none. Requires a password.',
    accepts: 'a user name',
    fallback: 'none; a one-time link is printed',
    parse: (text) => text,
  }),
  setting({
    key: 'adminPassword',
    value: 'TEXT',
    help: 'Password of that administrator.',
    accepts: 'a password',
    fallback: 'none',
    secret: true,
    parse: (text) => text,
  }),
  setting({
    key: 'smtpUrl',
    value: 'URL',
    help: 'Mail server that sends codes and notices. Forms: see "tessera test-mail --help".',
    accepts: 'an address such as smtps://user:password@mail.example.org, or smtp:// for STARTTLS',
    fallback: 'none; codes by e-mail are written to the log',
    secret: true,
    mask: maskGateway,
    parse: (text) => parseSmtp(text) && text,
  }),
  setting({
    key: 'mailFrom',
    value: 'SENDER',
    help: 'Sender of all mail. Required with a mail server.',
    accepts: 'an address such as "Tessera <no-reply@example.org>"',
    fallback: 'none',
    parse: (text) => parseMailbox(text) && text,
  }),
  setting({
    key: 'smsUrl',
    value: 'URL',
    help: 'SMS gateway: aliyun, tencent, twilio or your own webhook. Forms: see "tessera test-sms --help".',
    accepts: 'log: or the complete address of a gateway: aliyun://, tencent://, twilio:// or https://:SECRET@host/path',
    fallback: 'log:; codes by SMS are written to the log',
    secret: true,
    mask: maskGateway,
    parse: (text) => parseSms(text) && text,
  }),
  setting({
    key: 'oneclickUrl',
    value: 'URL',
    help: 'Gateway that returns the phone number for a carrier SDK token: aliyun://KEY:SECRET@dypnsapi.aliyuncs.com or https://:SECRET@host/path.',
    accepts: 'the complete address of a gateway: aliyun://KEY:SECRET@host or https://:SECRET@host/path',
    fallback: 'none; one-click sign-in is refused',
    secret: true,
    mask: maskGateway,
    parse: (text) => parseOneClick(text) && text,
  }),
  setting({
    key: 'geoipFile',
    value: 'FILES',
    help: 'Databases of IP addresses, ip2region (.xdb) or MaxMind (.mmdb), for the cities of sign-ins and the countries of scans.',
    accepts: '"none", the path of a file, or two paths separated by a comma',
    fallback: 'none; cities stay empty, and rules cannot name countries',
    parse: files,
  }),
  setting({
    key: 'trustedProxies',
    value: 'RANGES',
    help: 'Reverse proxies whose X-Forwarded-For is trusted, separated by commas. "none" for no proxy.',
    accepts: '"none", or IP addresses and ranges such as 10.0.0.0/8,fd00::/8',
    fallback: defaultConfig.trustedProxies.join(','),
    parse: proxies,
  }),
  setting({
    key: 'corsOrigins',
    value: 'ORIGINS',
    help: 'Other origins whose web pages may call the API from a browser, separated by commas.',
    accepts: '"none", or origins such as https://app.example.org,http://localhost:5173, without a path and without *',
    fallback: 'none',
    parse: origins,
  }),
  setting({
    key: 'pushServices',
    value: 'ORIGINS',
    help: 'Origins of your own push services inside a private network, separated by commas.',
    accepts: '"none", or origins such as https://ntfy.lan,http://127.0.0.1:8090, without a path and without *',
    fallback: 'none',
    parse: origins,
  }),
  setting({
    key: 'privateTargets',
    value: 'ORIGINS',
    help: 'Origins inside a private network, or without TLS, that webhooks and sign-in providers may have, separated by commas.',
    accepts: '"none", or origins such as http://nas.lan:5678,https://10.0.0.5, without a path and without *',
    fallback: 'none; only public https addresses',
    parse: origins,
  }),
  setting({
    key: 'updateUrl',
    value: 'URL',
    help: 'Address of the notice of the newest release, for the setting update.check: docs/operations.md, "Newer versions".',
    accepts: 'an address such as https://example.org/update.json, without a user and a password',
    fallback: 'none; nothing asks for newer versions',
    parse: webUrl,
  }),
  setting({
    key: 'logLevel',
    value: 'LEVEL',
    help: 'Lowest level of log lines: debug, info, warn or error. Requests are logged at info.',
    accepts: 'debug, info, warn or error',
    fallback: defaultConfig.logLevel,
    parse: oneOf('debug', 'info', 'warn', 'error'),
  }),
  setting({
    key: 'logFormat',
    value: 'FORMAT',
    help: 'Format of log lines: text or json.',
    accepts: 'text or json',
    fallback: 'text on a terminal, otherwise json',
    parse: oneOf('text', 'json'),
  }),
  setting({
    key: 'rateLimit',
    value: 'on|off',
    help: 'Limits the requests and budgets of each session, user and address. "off" is for benchmarks.',
    accepts: 'on or off',
    fallback: 'on',
    parse: onOrOff,
  }),
  setting({
    key: 'drainSeconds',
    value: 'SECONDS',
    help: 'Seconds from the signal to stop until the port is closed: docs/operations.md, "Health checks".',
    accepts: 'a number from 0 to 60',
    fallback: String(defaultConfig.drainSeconds),
    parse: (text) => (/^\d{1,2}(\.\d{1,3})?$/.test(text) && Number(text) <= 60 ? Number(text) : undefined),
  }),
]

const words = (key: string): string[] => key.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`).split(' ')

export const flagName = (key: SettingKey): string => words(key).join('-')
export const envName = (key: SettingKey): string => `TESSERA_${words(key).join('_').toUpperCase()}`
export const tomlName = (key: SettingKey): string => words(key).join('_')

/** A value as the text that a flag takes. */
export function settingText(value: Config[SettingKey]): string {
  if (value === null) return 'off'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(',')
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
}

/** A value with its secret parts masked. */
export function maskedValue(setting: Setting, value: Config[SettingKey]): string {
  if (value === '' || !setting.secret) return settingText(value)
  return setting.mask ? setting.mask(String(value)) : '***'
}

/** The configuration as the rest of the program sees it: typed, cross-checked, frozen. */

import { resolve } from 'node:path'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** How people reach the server. PROXY: another program ends TLS. */
export const MODES = ['LOCAL', 'NETWORK', 'DOMAIN', 'PROXY'] as const
export type Mode = (typeof MODES)[number]

export interface Config {
  readonly host: string
  /** 0 = any free port. */
  readonly port: number
  /** Absolute paths of a certificate with its chain and of its key, for HTTPS; both empty for plain HTTP. */
  readonly tlsCert: string
  readonly tlsKey: string
  /** DNS names, in lower case and as ASCII, for which the server gets its certificate itself; empty: it does not. The first is the public one. */
  readonly domain: readonly string[]
  /** Contact for the certificate authority; empty: none. */
  readonly acmeEmail: string
  /** Address of the certificate authority's directory (RFC 8555). */
  readonly acmeDirectory: string
  /** Absolute path of the certificates by which the server trusts a private authority (PEM); empty for those of the system. */
  readonly acmeCa: string
  /** Absolute path of a program that sets TXT records; empty: the authority validates names over HTTP. */
  readonly acmeDnsCommand: string
  /** HTTPS with a certificate of this server's own authority, for the machines of a private network. */
  readonly lan: boolean
  /** Beside HTTPS, a port that leads to it; null: none. 0 = any free port. */
  readonly httpPort: number | null
  /** The origin at the start of printed links and QR codes, without a trailing slash. */
  readonly publicUrl: string
  /** The address at the start of short links, without a trailing slash; empty: the public one. */
  readonly shortUrl: string
  /** Not a setting, as the next two: see `modeOf`, and `config/reach.ts` for the values that administrators set in the browser. */
  readonly mode: Mode
  /** HTTPS that was set up in the browser: FILES with an uploaded certificate, AWAITED without one so far. */
  readonly browserTls: 'FILES' | 'AWAITED' | null
  /** Beside HTTPS, where the whole server answers over plain HTTP; null: nowhere. `orAny`: on any free port if that one is taken. */
  readonly beside: { readonly host: string; readonly port: number; readonly orAny: boolean } | null
  /** Absolute path. */
  readonly dataDir: string
  /** PostgreSQL; empty for SQLite in the data directory. */
  readonly databaseUrl: string
  /** PostgreSQL past a pooler; empty if `databaseUrl` leads to no pooler. */
  readonly databaseDirectUrl: string
  /** A replica of PostgreSQL for reads of many rows; empty: none. */
  readonly databaseReadUrl: string
  /** Not a setting: see `pastPooler`. */
  readonly poolerUrl: string
  /** The most connections that this process opens to PostgreSQL while it serves. */
  readonly databaseConnections: number
  /** An S3 bucket for files, parsed by `storage.ts`; empty for files in the data directory. */
  readonly storageUrl: string
  /** Absolute path of a directory of files that several processes use; empty for `files/` in the data directory. */
  readonly sharedFiles: string
  /** Absolute path of the folder of backups; empty for `backups/` in the data directory. */
  readonly backupDir: string
  /** Configured signing secret; if empty, one is generated once and kept in `keys/`. */
  readonly secret: string
  /** With which metrics can be read without an administrator; empty: none. */
  readonly metricsToken: string
  /** Where traces are posted; empty: nowhere. */
  readonly otlpUrl: string
  /** Headers of these posts, parsed by `gateways.ts`. */
  readonly otlpHeaders: string
  /** The share of requests, from 0 to 1, whose spans are all sent. */
  readonly traceRatio: number
  readonly adminUsername: string
  readonly adminPassword: string
  /** URLs of the mail server, the SMS gateway and the one-click gateway, parsed by `gateways.ts`; empty: none. */
  readonly smtpUrl: string
  readonly mailFrom: string
  readonly smsUrl: string
  readonly oneclickUrl: string
  /** Absolute paths of ip2region or MaxMind databases, at most one each for IPv4 and IPv6. */
  readonly geoipFile: readonly string[]
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
  /** Origins of web pages whose scripts may call the API, as browsers send them. */
  readonly corsOrigins: readonly string[]
  /** Origins of push services that may have private addresses and need no TLS. */
  readonly pushServices: readonly string[]
  /** Origins to which webhooks and sign-in providers may have private addresses, and need no TLS. */
  readonly privateTargets: readonly string[]
  /** Where the look for a newer version asks; empty: nowhere. */
  readonly updateUrl: string
  readonly logLevel: LogLevel
  readonly logFormat: 'text' | 'json'
  readonly rateLimit: boolean
  /** From the signal to stop until the port is closed, so that proxies notice. */
  readonly drainSeconds: number
  /** Whether every answer is checked against its schema. Not a setting: true in tests and development. */
  readonly checkAnswers: boolean
}

/** The default of `port` with `lan`. */
export const LAN_PORT = 8443

/** The defaults, as the table of settings shows them. */
export const defaultConfig: Config = {
  host: '127.0.0.1',
  port: 8080,
  tlsCert: '',
  tlsKey: '',
  domain: [],
  acmeEmail: '',
  acmeDirectory: 'https://acme-v02.api.letsencrypt.org/directory',
  acmeCa: '',
  acmeDnsCommand: '',
  lan: false,
  httpPort: null,
  publicUrl: 'http://localhost:8080',
  shortUrl: '',
  mode: 'LOCAL',
  browserTls: null,
  beside: null,
  dataDir: resolve('data'),
  databaseUrl: '',
  databaseDirectUrl: '',
  databaseReadUrl: '',
  poolerUrl: '',
  databaseConnections: 25,
  storageUrl: '',
  sharedFiles: '',
  backupDir: '',
  secret: '',
  metricsToken: '',
  otlpUrl: '',
  otlpHeaders: '',
  traceRatio: 0.01,
  adminUsername: '',
  adminPassword: '',
  smtpUrl: '',
  mailFrom: '',
  smsUrl: '',
  oneclickUrl: '',
  geoipFile: [],
  trustedProxies: ['127.0.0.0/8', '::1/128'],
  corsOrigins: [],
  pushServices: [],
  privateTargets: [],
  updateUrl: '',
  logLevel: 'info',
  logFormat: 'json',
  rateLimit: true,
  drainSeconds: 0.25,
  checkAnswers: false,
}

/** The defaults of `port` and `httpPort` with `domain`. */
export const DOMAIN_PORT = 443
export const DOMAIN_HTTP_PORT = 80

/** Whether the server itself speaks HTTPS. */
export const hasTls = ({
  tlsCert,
  domain,
  lan,
  browserTls,
}: Pick<Config, 'tlsCert' | 'domain' | 'lan' | 'browserTls'>): boolean =>
  tlsCert !== '' || domain.length > 0 || lan || browserTls !== null

/**
 * The configuration for everything behind the command line: `databaseUrl` leads past the pooler, if there is one, and `poolerUrl` to it. Only
 * reads, searches and writes of the server use the pooler.
 */
export const pastPooler = (config: Config): Config =>
  config.databaseDirectUrl === ''
    ? config
    : Object.freeze({ ...config, databaseUrl: config.databaseDirectUrl, poolerUrl: config.databaseUrl })

/** Connections for locks, stamps and events, beside those of the pools: of a process alone on its database, and of one of several. */
export const ALONE_CONNECTIONS = 2
export const SHARED_CONNECTIONS = 6
/** One each for reads, writes and searches. */
const MIN_POOLED = 3
export const MIN_CONNECTIONS = ALONE_CONNECTIONS + MIN_POOLED
export const MIN_SHARED_CONNECTIONS = SHARED_CONNECTIONS + MIN_POOLED

/** Whether several processes may serve the database: they need a PostgreSQL database, and files that all of them reach. */
export const isShared = ({
  databaseUrl,
  storageUrl,
  sharedFiles,
}: Pick<Config, 'databaseUrl' | 'storageUrl' | 'sharedFiles'>): boolean =>
  databaseUrl !== '' && (storageUrl !== '' || sharedFiles !== '')

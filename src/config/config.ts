/** The configuration as the rest of the program sees it: typed, cross-checked, frozen. */

import { resolve } from 'node:path'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface Config {
  readonly host: string
  /** 0 = any free port. */
  readonly port: number
  /** Origin that printed links and QR codes begin with, without a trailing slash. */
  readonly publicUrl: string
  /** Absolute. */
  readonly dataDir: string
  /** Empty: SQLite in the data directory. */
  readonly databaseUrl: string
  /** Signing secret given from outside; empty: made once and kept in `keys/`. */
  readonly secret: string
  readonly adminUsername: string
  readonly adminPassword: string
  /** Mail server, SMS gateway and one-click sign-in, as `gateways.ts` takes them apart; empty: none. */
  readonly smtpUrl: string
  readonly mailFrom: string
  readonly smsUrl: string
  readonly oneclickUrl: string
  /** Absolute paths of ip2region databases, each for IPv4 or IPv6. */
  readonly geoipFile: readonly string[]
  /** Addresses and CIDR ranges whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly string[]
  readonly logLevel: LogLevel
  readonly logFormat: 'text' | 'json'
  readonly rateLimit: boolean
  /** Check every answer against its schema (tests, development). */
  readonly checkAnswers: boolean
}

/** What holds where nothing is set. The table of settings shows these as its defaults. */
export const defaultConfig: Config = {
  host: '127.0.0.1',
  port: 8080,
  publicUrl: 'http://localhost:8080',
  dataDir: resolve('data'),
  databaseUrl: '',
  secret: '',
  adminUsername: '',
  adminPassword: '',
  smtpUrl: '',
  mailFrom: '',
  smsUrl: '',
  oneclickUrl: '',
  geoipFile: [],
  trustedProxies: ['127.0.0.0/8', '::1/128'],
  logLevel: 'info',
  logFormat: 'json',
  rateLimit: true,
  checkAnswers: false,
}

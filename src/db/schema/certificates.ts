/** Certificates that the server gets from an authority by ACME, and the way to them. Private keys (PKCS #8, PEM) are sealed. */

import { col, table } from '../dialect.ts'

/** One for each directory of an authority. */
export const acmeAccounts = table('acme_accounts', {
  directory: col.text('directory').primaryKey(),
  key: col.text('key').notNull(),
  /** The address of the account; null until the authority has made it. */
  url: col.text('url'),
  /** The contact that the authority knows; empty: none. */
  email: col.text('email').notNull(),
})

/** Why there is no certificate, or no new one. */
export interface OrderFault {
  /** A type of RFC 8555 without its prefix, or one of our own (platform/acme/request.ts). */
  readonly type: string
  /** The name that could not be validated; null if it is not about one. */
  readonly name: string | null
  /** The words of the authority. */
  readonly detail: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** The order under way. One row for each directory and list of names, and one process at a time works on it. */
export const acmeOrders = table('acme_orders', {
  /** Directory and names. */
  target: col.text('target').primaryKey(),
  /** The process that works on it; null: none. */
  holder: col.text('holder'),
  /** After this time the holder counts as dead. */
  leaseUntil: col.time('lease_until').notNull(),
  /** Of the certificate that is ordered; null: no order is under way. It is used for one order only. */
  key: col.text('key'),
  /** The address of the order; null until the authority has answered. */
  url: col.text('url'),
  /** Failed attempts since the last success. */
  failures: col.int('failures').notNull(),
  /** No attempt before. */
  nextAt: col.time('next_at').notNull(),
  fault: col.json<OrderFault>('fault'),
})

/** Validations that failed within the last hour: authorities refuse more than five of a name. */
export const acmeFailures = table('acme_failures', {
  id: col.id(),
  /** Without `*.` */
  name: col.text('name').notNull(),
  at: col.time('at').notNull(),
})

export const certificates = table('certificates', {
  id: col.id(),
  directory: col.text('directory').notNull(),
  names: col.json<readonly string[]>('names').notNull(),
  /** The certificate and those of its chain (PEM). */
  chain: col.text('chain').notNull(),
  key: col.text('key').notNull(),
  issuer: col.text('issuer').notNull(),
  /** Hexadecimal. */
  serial: col.text('serial').notNull(),
  notBefore: col.time('not_before').notNull(),
  notAfter: col.time('not_after').notNull(),
  /** When it should be replaced. */
  renewAt: col.time('renew_at').notNull(),
  /** When to ask the authority for its opinion on that. */
  askAt: col.time('ask_at').notNull(),
  /** When administrators were notified of its end. */
  warnedAt: col.time('warned_at'),
  createdAt: col.time('created_at').notNull(),
})

/** Answers to the challenges of authorities, which may ask any process. */
export const acmeChallenges = table('acme_challenges', {
  token: col.text('token').primaryKey(),
  answer: col.text('answer').notNull(),
  /** After this time the row can be deleted. */
  expiresAt: col.time('expires_at').notNull(),
})

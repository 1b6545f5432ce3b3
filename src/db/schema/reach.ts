import { col, table } from '../dialect.ts'

/** How many codes, labels, passes and posters were fetched while an address was the public one. */
export const printedAddresses = table('printed_addresses', {
  /** As `normalAddress` writes it. */
  address: col.text('address').primaryKey(),
  printed: col.int('printed').notNull(),
})

/** How a device opened the address of a check. Its own address is not kept. */
export interface CheckVisit {
  /** Epoch milliseconds. */
  readonly at: number
  /** OTHER: it came from a public address that is not the server's. */
  readonly network: 'SAME' | 'OTHER'
  readonly scheme: 'http' | 'https'
  /** Whether the browser allows its pages camera and position. */
  readonly secureContext: boolean
  /** The family: `Firefox`. */
  readonly browser: string
}

/** Checks whether other devices reach the server, which administrators start. */
export const reachChecks = table('reach_checks', {
  id: col.id(),
  /** SHA-256. The token is in the address that a device opens. */
  tokenHash: col.text('token_hash').notNull().unique(),
  url: col.text('url').notNull(),
  expiresAt: col.time('expires_at').notNull(),
  visit: col.json<CheckVisit>('visit'),
  /** SHA-256 of the cookie of the device that opened it, which may load the page again. */
  visitorHash: col.text('visitor_hash'),
})

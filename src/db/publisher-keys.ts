/** Publisher keys on the command line. A running server sees every change at once, because it does not cache them. */

import { systemClock } from '#platform/clock.ts'

import { type Place, withDatabase } from './maintenance.ts'

export interface PublisherKey {
  readonly id: number
  readonly name: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Null as long as the key can be used. */
  readonly revokedAt: number | null
}

const COLUMNS = 'id, name, created_at AS "createdAt", revoked_at AS "revokedAt"'

const run = (place: Place, statement: string, parameters: (string | number)[]): Promise<PublisherKey[]> =>
  withDatabase(place, async (query) => {
    const rows = await query(statement, parameters)
    return rows.map((row) => ({
      id: Number(row['id']),
      name: String(row['name']),
      createdAt: Number(row['createdAt']),
      revokedAt: row['revokedAt'] === null ? null : Number(row['revokedAt']),
    }))
  })

/** `keyHash`: `sha256` of the key. */
export async function insertPublisherKey(place: Place, name: string, keyHash: string): Promise<PublisherKey> {
  const statement = `INSERT INTO publisher_keys (name, key_hash, created_at) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`
  return (await run(place, statement, [name, keyHash, systemClock.now()]))[0]!
}

export const listPublisherKeys = (place: Place): Promise<PublisherKey[]> =>
  run(place, `SELECT ${COLUMNS} FROM publisher_keys ORDER BY id`, [])

/** Returns undefined if there is no such key. A key that was revoked before keeps that time. */
export async function revokePublisherKey(place: Place, id: number): Promise<PublisherKey | undefined> {
  const statement = `UPDATE publisher_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING ${COLUMNS}`
  return (await run(place, statement, [systemClock.now(), id]))[0]
}

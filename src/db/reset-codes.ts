/** Reset codes on the command line. A running server sees them at once, because it does not cache them. */

import { DAY, systemClock } from '#platform/clock.ts'

import { type Place, withDatabase } from './maintenance.ts'

/**
 * Replaces the code of the active user with this name. `hashOf`: the hash to store, from the id of the user. Returns undefined if there is no such
 * user. `expiresAt`: epoch milliseconds.
 */
export const insertResetCode = (
  place: Place,
  username: string,
  hashOf: (userId: number) => string,
): Promise<{ readonly expiresAt: number } | undefined> =>
  withDatabase(place, async (query) => {
    const [user] = await query(`SELECT id FROM users WHERE username_key = $1 AND status = 'ACTIVE'`, [
      username.toLowerCase(),
    ])
    if (user === undefined) return undefined
    const id = Number(user['id'])
    const now = systemClock.now()
    const expiresAt = now + DAY
    await query(
      `INSERT INTO reset_codes (user_id, kind, hash, tries, created_by, is_foreign, expires_at, created_at)
      VALUES ($1, 'RESET', $2, 0, NULL, false, $3, $4)
      ON CONFLICT (user_id) DO UPDATE SET kind = excluded.kind, hash = excluded.hash, tries = 0, created_by = NULL,
        is_foreign = excluded.is_foreign, expires_at = excluded.expires_at, created_at = excluded.created_at`,
      [id, hashOf(id), expiresAt, now],
    )
    return { expiresAt }
  })

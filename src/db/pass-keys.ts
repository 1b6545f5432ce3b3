/** Keys of passes on the command line. A running server notices at its next use, because it reads them each time. */

import { systemClock } from '#platform/clock.ts'

import { type Place, withDatabase } from './maintenance.ts'

/** The largest key id that fits into the token of a pass. */
const MAX_ID = 255

/** Retires the keys that are in use and returns their ids; none if the last id is in use, because no other key could replace it. */
export const retirePassKeys = (place: Place): Promise<number[] | 'last'> =>
  withDatabase(place, async (query) => {
    const statement =
      'UPDATE pass_keys SET retired_at = $1 WHERE retired_at IS NULL AND (SELECT max(id) FROM pass_keys) < $2 RETURNING id'
    const rows = await query(statement, [systemClock.now(), MAX_ID])
    if (rows.length > 0) return rows.map((row) => Number(row['id']))
    const [last] = await query('SELECT id FROM pass_keys WHERE id >= $1', [MAX_ID])
    return last === undefined ? [] : 'last'
  })

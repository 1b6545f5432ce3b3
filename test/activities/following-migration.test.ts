/** Migration 0055: passes that have the end of their activity follow it. */

import { expect, test } from 'bun:test'

import { dialect } from '#db/dialect.ts'
import { migrate } from '#db/migrate.ts'

import { migrations } from '../../migrations/index.ts'
import { withPlace } from '../db/fresh.ts'

const all = migrations[dialect]
const at = all.findIndex(({ name }) => name.startsWith('0055_'))
const END = 1000

interface Before {
  readonly says: string
  readonly follows: boolean
  readonly validTo: number | null
  readonly holder?: number
  readonly isLive?: boolean
  readonly isRevoked?: boolean
}

/** In the order of their ids. */
const PASSES: readonly Before[] = [
  { says: 'of a guest, with the end of the activity', validTo: END, follows: true },
  { says: 'with an end of its own', validTo: END - 1, follows: false },
  { says: 'without an end', validTo: null, follows: false },
  { says: 'that was revoked', validTo: END, isRevoked: true, follows: false },
  { says: 'of a user, live', validTo: END, holder: 1, isLive: true, follows: true },
  { says: 'of a user, expired, before a newer one', validTo: END, holder: 2, follows: false },
  { says: 'of a user, expired, the newest', validTo: END, holder: 2, follows: true },
  { says: 'of a user, expired, beside a live one with an end of its own', validTo: END, holder: 3, follows: false },
  { says: 'of a user, live, with an end of its own', validTo: END + 1, holder: 3, isLive: true, follows: false },
]

test('passes that have the end of their activity follow it, at most one of a holder', async () => {
  await withPlace(async (place) => {
    const { databaseUrl, dataDir, clock, log } = place
    await migrate({ databaseUrl, dataDir, clock, log, migrations: all.slice(0, at) })
    for (const id of [1, 2, 3])
      await place.raw(
        `INSERT INTO users (id, username, nickname, created_at, updated_at, status) VALUES (${id}, 'u${id}', 'u', 1, 1, 'ACTIVE')`,
      )
    await place.raw(
      `INSERT INTO activities (id, uuid, check_in_uuid, owner, user_id, name, start_time, end_time, visibility, check_in_config, pass_config, created_at, updated_at)
       VALUES (1, 'a', 'b', -1, 1, 'Fair', 1, ${END}, 'PUBLIC', '{}', '{}', 1, 1)`,
    )
    await place.raw('INSERT INTO pass_issues (id, activity_id, user_id, created_at) VALUES (1, 1, 1, 1)')
    for (const [i, { validTo, holder = null, isLive, isRevoked }] of PASSES.entries())
      await place.raw(
        `INSERT INTO passes (id, uuid, activity_id, issue_id, holder_name, fields, key_id, max_uses, valid_to, holder_user_id, live_holder_id, revoked_at, expired_at, created_at, updated_at)
         VALUES (${i + 1}, 'p${i}', 1, 1, 'Lin', '[]', 1, 1, ${validTo}, ${holder}, ${isLive ? holder : null}, ${isRevoked ? 5 : null}, ${isLive || isRevoked ? null : 5}, 1, 1)`,
      )
    await migrate({ databaseUrl, dataDir, clock, log })
    const rows = await place.raw(
      `SELECT id, CASE WHEN follows_activity THEN 1 ELSE 0 END, expired_at, live_holder_id FROM passes ORDER BY id`,
    )
    for (const [i, { says, follows, holder = null, isLive, isRevoked }] of PASSES.entries()) {
      const [, flag, expiredAt, live] = rows[i]!.map((value) => (value === null ? null : Number(value)))
      const expected = follows ? [1, null, holder] : [0, isLive || isRevoked ? null : 5, isLive ? holder : null]
      expect([flag, expiredAt, live], says).toEqual(expected)
    }
    const changed = await place.raw('SELECT pass_id FROM pass_changes ORDER BY pass_id')
    expect(changed.map(([id]) => Number(id))).toEqual(PASSES.flatMap(({ follows }, i) => (follows ? [i + 1] : [])))
  })
})

/** Migrations 0074 and 0075: the numbers of used, revoked and inside passes, of rows from before and of changes meanwhile. */

import { expect, test } from 'bun:test'

import { dialect } from '#db/dialect.ts'
import { migrate } from '#db/migrate.ts'

import { migrations } from '../../migrations/index.ts'
import { withPlace } from '../db/fresh.ts'

const all = migrations[dialect]
const at = all.findIndex(({ name }) => name.startsWith('0074_'))

test('passes of before are counted, and each change meanwhile once', async () => {
  await withPlace(async (place) => {
    const { databaseUrl, dataDir, clock, log } = place
    await migrate({ databaseUrl, dataDir, clock, log, migrations: all.slice(0, at) })
    await place.raw(
      `INSERT INTO users (id, username, nickname, created_at, updated_at, status) VALUES (1, 'u', 'u', 1, 1, 'ACTIVE')`,
    )
    for (const id of [1, 2])
      await place.raw(
        `INSERT INTO activities (id, uuid, check_in_uuid, owner, user_id, name, start_time, end_time, visibility, check_in_config, pass_config, created_at, updated_at)
         VALUES (${id}, 'a${id}', 'b${id}', -1, 1, 'Fair', 1, 9, 'PUBLIC', '{}', '{}', 1, 1)`,
      )
    await place.raw('INSERT INTO pass_issues (id, activity_id, user_id, created_at) VALUES (1, 1, 1, 1)')
    let id = 0
    const add = async (activity: number, used: number, isInside: boolean, revokedAt = 'NULL', deletedAt = 'NULL') => {
      id += 1
      await place.raw(
        `INSERT INTO passes (id, uuid, activity_id, issue_id, holder_name, fields, key_id, max_uses, used_count, is_inside, revoked_at, deleted_at, created_at, updated_at)
         VALUES (${id}, 'p${id}', ${activity}, 1, 'Lin', '[]', 1, 0, ${used}, ${isInside ? 'true' : 'false'}, ${revokedAt}, ${deletedAt}, 1, 1)`,
      )
      return id
    }
    await add(1, 0, false)
    const used = await add(1, 1, true)
    await add(1, 2, false)
    const entered = await add(1, 3, true, '5')
    await add(1, 1, true, '5', '6')
    await add(2, 1, false)
    await migrate({ databaseUrl, dataDir, clock, log, migrations: all.slice(0, at + 1) })
    // Processes go on between the two migrations.
    await place.raw(`UPDATE passes SET is_inside = false WHERE id = ${used}`)
    await place.raw(`UPDATE passes SET used_count = 0, is_inside = false WHERE id = ${entered}`)
    await add(2, 1, true)
    await migrate({ databaseUrl, dataDir, clock, log })
    await place.raw(`UPDATE passes SET revoked_at = 7, updated_at = 2 WHERE activity_id = 2`)
    await place.raw(`UPDATE passes SET deleted_at = 8 WHERE activity_id = 2 AND is_inside`)
    const rows = await place.raw(
      `SELECT list, owner, sum(n) FROM (SELECT list, owner, n FROM list_totals UNION ALL SELECT list, owner, n FROM list_changes) AS counted
       WHERE list IN ('passes.used', 'passes.inside', 'passes.revoked') GROUP BY list, owner HAVING sum(n) <> 0 ORDER BY list, owner`,
    )
    expect(rows.map(([list, owner, n]) => [list, Number(owner), Number(n)])).toEqual([
      ['passes.revoked', 1, 1],
      ['passes.revoked', 2, 1],
      ['passes.used', 1, 2],
      ['passes.used', 2, 1],
    ])
  })
})

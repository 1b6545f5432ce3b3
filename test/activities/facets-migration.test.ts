/**
 * Migrations 0082 and 0092: earlier participants have their facets and are counted once, also those that change between the two. Migration 0110: they have
 * their names.
 */

import { expect, test } from 'bun:test'

import { dialect } from '#db/dialect.ts'
import { migrate } from '#db/migrate.ts'
import { facetsPage, nameOld, scannedPage } from '#domains/activities/registrations/filters.store.ts'

import { migrations } from '../../migrations/index.ts'
import { withPlace } from '../db/fresh.ts'

const all = migrations[dialect]
const at = all.findIndex(({ name }) => name.startsWith('0082_'))

test('earlier participants are counted by facet, and each change meanwhile once', async () => {
  await withPlace(async (place) => {
    const { databaseUrl, dataDir, clock, log } = place
    await migrate({ databaseUrl, dataDir, clock, log, migrations: all.slice(0, at) })
    await place.raw(
      `INSERT INTO users (id, username, nickname, created_at, updated_at, status) VALUES (1, 'u', 'u', 1, 1, 'ACTIVE'), (2, 'v', 'v', 1, 1, 'ACTIVE')`,
    )
    await place.raw(
      `INSERT INTO activities (id, uuid, check_in_uuid, owner, user_id, name, start_time, end_time, visibility, check_in_config, pass_config, created_at, updated_at)
       VALUES (1, 'a', 'b', -1, 1, 'Fair', 1, 9, 'PUBLIC', '{}', '{}', 1, 1)`,
    )
    await place.raw('INSERT INTO pass_issues (id, activity_id, user_id, created_at) VALUES (1, 1, 1, 1)')
    const register = (id: number, userId: number | null, status: string) =>
      place.raw(
        `INSERT INTO registrations (id, activity_id, user_id, status, answers, created_at, updated_at) VALUES (${id}, 1, ${userId}, '${status}', '{}', 1, 1)`,
      )
    const issue = (id: number, userId: number | null, registrationId: number | null, used: number) =>
      place.raw(
        `INSERT INTO passes (id, uuid, activity_id, issue_id, holder_user_id, registration_id, live_holder_id, holder_name, fields, key_id, max_uses, used_count, created_at, updated_at)
         VALUES (${id}, 'p${id}', 1, 1, ${userId}, ${registrationId}, ${userId ?? -registrationId!}, 'Lin', '[]', 1, 0, ${used}, 1, 1)`,
      )
    const checkIn = (person: number) =>
      place.raw(`INSERT INTO check_in_users (activity_id, user_id, count) VALUES (1, ${person}, 1)`)
    await register(11, 1, 'CONFIRMED')
    await register(12, null, 'CONFIRMED')
    await register(13, null, 'WAITING')
    await issue(1, 1, null, 0)
    await issue(2, null, 12, 1)
    await checkIn(-13)
    await migrate({ databaseUrl, dataDir, clock, log, migrations: all.slice(0, at + 1) })
    // Processes go on between the two migrations.
    await register(14, 2, 'CONFIRMED')
    await issue(3, 2, null, 0)
    await checkIn(1)
    await place.raw(`UPDATE registrations SET status = 'CANCELLED' WHERE id = 13`)
    await migrate({ databaseUrl, dataDir, clock, log })
    await place.raw(`UPDATE passes SET used_count = 0 WHERE id = 2`)
    await place.raw(`UPDATE registrations SET status = 'CONFIRMED' WHERE id = 13`)
    await place.raw(`DELETE FROM check_in_users WHERE user_id = -13`)
    await place.raw(`DELETE FROM registrations WHERE id = 14`)
    const rows = await place.raw(
      `SELECT list, sum(n) FROM (SELECT list, n FROM list_totals UNION ALL SELECT list, n FROM list_changes) AS counted
       WHERE list LIKE 'participants.%' GROUP BY list HAVING sum(n) <> 0 ORDER BY list`,
    )
    expect(rows.map(([list, n]) => [list, Number(n)]).toSorted()).toEqual([
      ['participants.CONFIRMED.ACCOUNT.guest', 1],
      ['participants.CONFIRMED.ACCOUNT.guest.pass', 1],
      ['participants.CONFIRMED.ACCOUNT.pass.in', 1],
    ])
  })
})

test('earlier participants are named, by a job on PostgreSQL, and renamed by earlier versions too', async () => {
  const before = all.findIndex(({ name }) => name.startsWith('0110_'))
  await withPlace(async (place) => {
    const { databaseUrl, dataDir, clock, log } = place
    await migrate({ databaseUrl, dataDir, clock, log, migrations: all.slice(0, before) })
    await place.raw(
      `INSERT INTO users (id, username, nickname, created_at, updated_at, status) VALUES (1, 'u', 'Zoe', 1, 1, 'ACTIVE')`,
    )
    await place.raw(
      `INSERT INTO activities (id, uuid, check_in_uuid, owner, user_id, name, start_time, end_time, visibility, check_in_config, pass_config, created_at, updated_at)
       VALUES (1, 'a', 'b', -1, 1, 'Fair', 1, 9, 'PUBLIC', '{}', '{}', 1, 1)`,
    )
    const register = (id: number, userId: number | null, name: string | null) =>
      place.raw(
        `INSERT INTO registrations (id, activity_id, user_id, name, status, answers, created_at, updated_at)
         VALUES (${id}, 1, ${userId}, ${name === null ? null : `'${name}'`}, 'CONFIRMED', '{}', ${id}, 1)`,
      )
    const names = async () => (await place.raw('SELECT sort_name FROM registrations ORDER BY id')).map(([name]) => name)
    await register(1, 1, null)
    await register(2, null, 'Bo ÉMILE')
    await migrate({ databaseUrl, dataDir, clock, log })
    await register(3, null, 'Al')
    const store = await place.open()
    try {
      const byName = async () =>
        (
          (await facetsPage(store.read, 1, {}, 'name', { page: 1, size: 20 })) ??
          (await scannedPage(store.read, 1, {}, 'name', { page: 1, size: 20 }))
        ).items.map(({ id }) => id)
      expect(await byName()).toEqual([3, 2, 1])
      await nameOld({ db: store, lifecycle: { draining: false } })
      expect(await facetsPage(store.read, 1, {}, 'name', { page: 1, size: 20 })).toBeDefined()
      expect(await byName()).toEqual([3, 2, 1])
      expect(await names()).toEqual(['zoe', 'bo Émile', 'al'])
      await place.raw(`UPDATE users SET nickname = 'Aa' WHERE id = 1`)
      await place.raw(`UPDATE registrations SET name = 'Zz' WHERE id = 3`)
      expect(await names()).toEqual(['aa', 'bo Émile', 'zz'])
    } finally {
      await store.close()
    }
  })
})

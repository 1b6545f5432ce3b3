/** Migration 0061: registrations and check-ins without an account. Rows of the version before survive, and their ids are not given again. */

import { expect, test } from 'bun:test'

import { dialect } from '#db/dialect.ts'
import { migrate } from '#db/migrate.ts'

import { migrations } from '../../migrations/index.ts'
import { withPlace } from '../db/fresh.ts'

const all = migrations[dialect]
const at = all.findIndex(({ name }) => name.startsWith('0061_'))

test('registrations and check-ins of the version before stay as they are, and ids of deleted ones are not used again', async () => {
  await withPlace(async (place) => {
    const { databaseUrl, dataDir, clock, log } = place
    await migrate({ databaseUrl, dataDir, clock, log, migrations: all.slice(0, at) })
    for (const id of [1, 2, 3])
      await place.raw(
        `INSERT INTO users (id, username, nickname, created_at, updated_at, status) VALUES (${id}, 'u${id}', 'u', 1, 1, 'ACTIVE')`,
      )
    await place.raw(
      `INSERT INTO activities (id, uuid, check_in_uuid, owner, user_id, name, start_time, end_time, visibility, check_in_config, pass_config, created_at, updated_at)
       VALUES (1, 'a', 'b', -1, 1, 'Fair', 1, 1000, 'PUBLIC', '{}', '{}', 1, 1)`,
    )
    const statuses = ['CONFIRMED', 'WAITING', 'CANCELLED']
    for (const [i, status] of statuses.entries())
      await place.raw(
        `INSERT INTO registrations (activity_id, user_id, status, answers, auto_pass_id, created_at, updated_at)
         VALUES (1, ${i + 1}, '${status}', '{"size":"M"}', ${i === 0 ? 7 : null}, ${10 + i}, ${20 + i})`,
      )
    for (const sequence of [1, 2])
      await place.raw(
        `INSERT INTO check_ins (activity_id, user_id, sequence, method, distance, checked_in_at)
         VALUES (1, 1, ${sequence}, 'GPS', 12, ${100 + sequence})`,
      )
    await place.raw('DELETE FROM registrations WHERE id = 3')
    await place.raw('DELETE FROM check_ins WHERE id = 2')
    await migrate({ databaseUrl, dataDir, clock, log })

    const rows = await place.raw(
      `SELECT id, activity_id, user_id, status, source, name, email, auto_pass_id, created_at, updated_at, erased_at
       FROM registrations ORDER BY id`,
    )
    const plain = (values: readonly unknown[]) =>
      values.map((value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value))
    expect(rows.map(plain)).toEqual([
      [1, 1, 1, 'CONFIRMED', 'ACCOUNT', null, null, 7, 10, 20, null],
      [2, 1, 2, 'WAITING', 'ACCOUNT', null, null, null, 11, 21, null],
    ])
    const [[answers]] = (await place.raw('SELECT answers FROM registrations WHERE id = 1')) as [[unknown]]
    expect(typeof answers === 'string' ? JSON.parse(answers) : answers).toEqual({ size: 'M' })
    const checkIns = await place.raw(
      'SELECT id, user_id, registration_id, sequence, method, distance, checked_in_at FROM check_ins ORDER BY id',
    )
    expect(checkIns.map(plain)).toEqual([[1, 1, null, 1, 'GPS', 12, 101]])

    // As the version before writes them, and without an account.
    await place.raw(
      `INSERT INTO registrations (activity_id, user_id, status, answers, created_at, updated_at) VALUES (1, 3, 'CONFIRMED', '{}', 1, 1)`,
    )
    for (const email of ['lin@example.org', 'mei@example.org'])
      await place.raw(
        `INSERT INTO registrations (activity_id, user_id, status, source, name, email, answers, created_at, updated_at)
         VALUES (1, NULL, 'PENDING', 'GUEST', 'Lin', '${email}', '{}', 1, 1)`,
      )
    const twice = place.raw(
      `INSERT INTO registrations (activity_id, user_id, status, source, name, email, answers, created_at, updated_at)
       VALUES (1, NULL, 'PENDING', 'GUEST', 'Mallory', 'lin@example.org', '{}', 1, 1)`,
    )
    expect(await Promise.resolve(twice).catch(() => 'refused')).toBe('refused')
    await place.raw(
      `INSERT INTO check_ins (activity_id, user_id, registration_id, sequence, method, checked_in_at) VALUES (1, NULL, 5, 1, 'MANUAL', 1)`,
    )
    const ids = async (table: string) =>
      (await place.raw(`SELECT id FROM ${table} ORDER BY id`)).map(([id]) => Number(id))
    expect((await ids('registrations')).slice(0, 5)).toEqual([1, 2, 4, 5, 6])
    expect(await ids('check_ins')).toEqual([1, 3])
  })
})

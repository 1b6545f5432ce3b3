/** Look-ups of many values in a table that has grown since PostgreSQL last read its statistics. */

import { expect, test } from 'bun:test'

import { and, asc, eq, sql } from 'drizzle-orm'

import { dialect, isInJson, isOneOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { registrations } from '#db/schema/activities.ts'
import { guestsByEmail } from '#domains/activities/registrations/waiting.store.ts'
import { pause } from '#lib/pause.ts'

import { type Place, withStore } from './fresh.ts'
import { statementsOf } from './plans.ts'

const GUESTS = 3000
const emailOf = (n: number) => `guest${n}@example.org`
/** Every fifth guest, and some whom nobody knows. */
const WANTED = Array.from({ length: 600 }, (_, i) => i * 5 + 5)

async function addGuests(place: Place): Promise<void> {
  if (dialect === 'postgres')
    await place.raw('alter table registrations disable trigger user, set (autovacuum_enabled = false)')
  await place.raw(`insert into users (id, nickname, status, created_at, updated_at) values (1, 'Anna', 'ACTIVE', 0, 0)`)
  await place.raw(
    `insert into activities (id, uuid, check_in_uuid, owner, user_id, name, start_time, end_time, visibility, check_in_config, pass_config, created_at, updated_at)
      values (1, 'a', 'c', 1, 1, 'Open day', 0, 1, 'PUBLIC', '{}', '{}', 0, 0)`,
  )
  const numbers =
    dialect === 'sqlite'
      ? `with recursive i(n) as (select 1 union all select n + 1 from i where n < ${GUESTS})`
      : `with i(n) as (select generate_series(1, ${GUESTS}))`
  await place.raw(
    `insert into registrations (activity_id, name, email, status, answers, created_at, updated_at) ${numbers}
      select 1, 'Guest ' || n, 'guest' || n || '@example.org', 'CONFIRMED', '{}', n, n from i`,
  )
  // Reads of one turn of the event loop see one state.
  await pause()
}

test('a few or many values find the same rows, as a list and as a prepared look-up', () =>
  withStore(async (store, place) => {
    await addGuests(place)
    const ids = prepared((db) =>
      db
        .select({ n: registrations.createdAt })
        .from(registrations)
        .where(and(eq(registrations.activityId, 1), isInJson(registrations.createdAt, sql.placeholder('ns'))))
        .orderBy(asc(registrations.createdAt)),
    )
    const texts = prepared((db) =>
      db
        .select({ n: registrations.createdAt })
        .from(registrations)
        .where(isInJson(registrations.email, sql.placeholder('emails')))
        .orderBy(asc(registrations.createdAt)),
    )
    for (const wanted of [[], [7], WANTED.slice(0, 30), WANTED.slice(0, 31), WANTED, [-1, 2999, 3001]]) {
      const known = wanted.filter((n) => n > 0 && n <= GUESTS)
      const rows = await store.read
        .select({ n: registrations.createdAt })
        .from(registrations)
        .where(isOneOf(registrations.email, [...wanted.map(emailOf), '\ud800']))
        .orderBy(asc(registrations.createdAt))
      expect(rows.map(({ n }) => n)).toEqual(known)
      expect((await ids(store.read, { ns: JSON.stringify(wanted) })).map(({ n }) => n)).toEqual(known)
      const found = await texts(store.read, { emails: JSON.stringify(wanted.map(emailOf)) })
      expect(found.map(({ n }) => n)).toEqual(known)
    }
  }))

test.if(dialect === 'postgres')('no row is compared with each of many addresses', () =>
  withStore(async (store, place) => {
    await addGuests(place)
    const emails = WANTED.map(emailOf)
    const [statement] = await statementsOf(store.read, () => guestsByEmail(store.read, 1, emails))
    const [text, params] = statement!
    const values = params.map((value) => `'${String(value)}'`).join(', ')
    await place.raw('analyze activities')
    // The plan that PostgreSQL keeps from the sixth time on.
    const lines = (await place.raw(
      `set plan_cache_mode = force_generic_plan; prepare looked_up as ${text}; explain execute looked_up(${values})`,
    )) as unknown[]
    const plan = (lines.at(-1) as string[][]).map(([line]) => line!)
    const filters = plan.filter((line) => line.includes('Filter: ') && line.includes('ANY'))
    for (const line of filters) expect(line).toMatch(/hashed SubPlan.* AND \(email = ANY/)
    expect(plan.some((line) => line.includes('hashed SubPlan'))).toBe(true)
    expect((await guestsByEmail(store.read, 1, emails)).size).toBe(WANTED.filter((n) => n <= GUESTS).length)
  }),
)

/** Migration 0043: the setup of a server that has users is done. */

import { expect, test } from 'bun:test'

import { dialect } from '#db/dialect.ts'
import { migrate } from '#db/migrate.ts'

import { migrations } from '../../migrations/index.ts'
import { withPlace } from '../db/fresh.ts'

const all = migrations[dialect]
const at = all.findIndex(({ name }) => name.startsWith('0043_'))

test.each([
  ['has users', true],
  ['has none', false],
])('the setup of a server that %s: is done %p', async (_, hasUsers) => {
  await withPlace(async (place) => {
    const { databaseUrl, dataDir, clock, log } = place
    await migrate({ databaseUrl, dataDir, clock, log, migrations: all.slice(0, at) })
    if (hasUsers)
      await place.raw(
        "INSERT INTO users (username, nickname, created_at, updated_at, status) VALUES ('root', 'root', 1, 1, 'ACTIVE')",
      )
    await migrate({ databaseUrl, dataDir, clock, log })
    const rows = await place.raw("SELECT value, updated_at FROM settings WHERE key = 'server.setup'")
    expect(rows.map(([value, time]) => [JSON.parse(String(value)), Number(time)])).toEqual(
      hasUsers ? [[{ done: true, marks: {} }, 0]] : [],
    )
  })
})

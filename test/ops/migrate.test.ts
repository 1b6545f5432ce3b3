import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { Installation, onPostgres } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

test('migrate --status lists pending migrations, migrate applies them, and then the database is up to date', async () => {
  const status = (): Promise<string> => place.run(['migrate', '--status']).then(({ stdout }) => stdout)
  if (onPostgres) expect(await status()).toStartWith('pending  0001_')
  else {
    expect(await status()).toStartWith('There is no database yet')
    expect(existsSync(place.dataDir)).toBe(false)
  }
  const done = await place.run(['migrate'])
  expect(done.code).toBe(0)
  expect(done.stdout).toMatch(/^applied {2}0001_\w+$/m)
  expect(await status()).toBe(done.stdout)
  expect((await place.run(['migrate'])).stdout).toBe('The database is up to date.\n')
  // There was no data to back up.
  expect(readdirSync(join(place.dataDir, 'backups'))).toEqual([])
  if (onPostgres) return
  const db = new Database(join(place.dataDir, 'tessera.db'), { readonly: true })
  expect(db.query('SELECT count(*) AS n FROM schema_migrations').get()).toEqual({
    n: done.stdout.trimEnd().split('\n').length,
  })
  db.close()
})

import { expect, test } from 'bun:test'

import { needsProblem, versionProblem } from '#db/needs.ts'

import { Installation, onPostgres } from '../ops/cli.ts'
import { withStore } from './fresh.ts'

test('engines that are not PostgreSQL are refused by their names, and old versions', () => {
  const cockroach = 'CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27 01:53:43, go1.19.10)'
  expect(versionProblem(cockroach, 130_000)).toContain('CockroachDB')
  expect(versionProblem('PostgreSQL 15.2-YB-2.23.0.0-b0 on x86_64-pc-linux-gnu', 150_002)).toContain('YugabyteDB')
  expect(versionProblem('PostgreSQL 13.9 on x86_64-pc-linux-gnu', 130_009)).toContain('14 or newer')
  expect(versionProblem('PostgreSQL 18.0 on x86_64-pc-linux-gnu', 180_000)).toBeUndefined()
})

if (onPostgres) {
  test('PostgreSQL has everything, and each thing that is missing is named', async () => {
    await withStore(async (_, { databaseUrl, raw }) => {
      expect(await needsProblem(databaseUrl)).toBeUndefined()
      const needs = {
        one: 'SELECT 1',
        'time travel': 'SELECT travel_in_time()',
        'odd syntax': 'SELEKT 1',
        two: 'SELECT 2',
      }
      expect(await needsProblem(databaseUrl, needs)).toContain('needs: time travel, odd syntax. Use')
      expect(await raw("SELECT to_regclass('tessera_needs')")).toEqual([[null]])
    })
  })

  test('the server and doctor check it', async () => {
    const place = await Installation.make()
    try {
      expect((await place.run(['doctor'])).stdout).toMatch(/OK +engine +PostgreSQL/)
    } finally {
      await place.dispose()
    }
  })
}

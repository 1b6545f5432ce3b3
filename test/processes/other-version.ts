/** Runs the server as a version that has the migrations in `TEST_MORE_MIGRATIONS` (JSON) too. */

import { type Migration, migrations } from '../../migrations/index.ts'

const more = JSON.parse(process.env['TEST_MORE_MIGRATIONS'] ?? '[]') as Migration[]
// The list is constant everywhere else.
;(migrations.postgres as Migration[]).push(...more)

await import('../../src/main.ts')

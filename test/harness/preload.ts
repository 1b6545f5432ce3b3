/**
 * Runs before every test file and chooses the database, which is fixed once the schema is imported: with TEST_DATABASE_URL the
 * tests run on PostgreSQL, each server with a separate database.
 */

import { setDefaultTimeout } from 'bun:test'

// bunfig.toml ignores this key. It is a limit for tests that hang, and not for those that are slow on a busy machine.
setDefaultTimeout(600_000)

const postgres = process.env['TEST_DATABASE_URL']
for (const name of Object.keys(process.env))
  if (name.startsWith('TESSERA_') && name !== 'TESSERA_SCREENSHOTS') delete process.env[name]
if (postgres) process.env['TESSERA_DATABASE_URL'] = postgres

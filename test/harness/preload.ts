/**
 * Runs before every test file. The database kind of a process is fixed when the schema is first imported, so it is chosen here:
 * with TEST_DATABASE_URL the suite runs on PostgreSQL, each server in a database of its own.
 */

import { setDefaultTimeout } from 'bun:test'

// Not a key of bunfig.toml: it would be ignored there. Two cores, many servers at once.
setDefaultTimeout(30_000)

const postgres = process.env['TEST_DATABASE_URL']
for (const name of Object.keys(process.env)) if (name.startsWith('TESSERA_')) delete process.env[name]
if (postgres) process.env['TESSERA_DATABASE_URL'] = postgres

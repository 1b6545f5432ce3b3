/** Creates a separate PostgreSQL database for each server under test. */

import { SQL } from 'bun'

let count = 0

/** Creates an empty database on the server of TEST_DATABASE_URL. `drop` also ends connections that are still open. */
export async function freshDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const base = process.env['TEST_DATABASE_URL']
  if (!base) throw new Error('TEST_DATABASE_URL is not set: this test runs on SQLite')
  const name = `tessera_test_${process.pid}_${Date.now().toString(36)}_${count++}`
  await administer(base, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
  const url = new URL(base)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => administer(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function administer(base: string, statement: string): Promise<void> {
  const server = new SQL({ url: base, max: 1 })
  try {
    await server.unsafe(statement)
  } finally {
    await server.close()
  }
}

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { Installation, onPostgres, OWN_MOUNTS } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

/** Makes a database with `rows` rows of 2 KB in which the second migration and all later ones are pending. They fail: their tables exist. */
async function downgrade(rows: number): Promise<void> {
  await place.run(['migrate'])
  const db = new Database(join(place.dataDir, 'tessera.db'))
  db.run('CREATE TABLE ballast (text)')
  const insert = db.query('INSERT INTO ballast VALUES (?)')
  db.transaction(() => {
    for (let i = 0; i < rows; i++) insert.run(`${i} ${'x'.repeat(2000)}`)
  })()
  db.run("DELETE FROM schema_migrations WHERE name > '0002'")
  db.close()
}

const backups = (): string[] => readdirSync(join(place.dataDir, 'backups'))

describe('the copy that is made before a migration', () => {
  test('is refused with the space that it needs, and leaves no file', async () => {
    if (onPostgres) return expect(place.databaseUrl).not.toBe('')
    await downgrade(5000)
    const copy = join(place.home, 'copy')
    Bun.spawnSync(['cp', '-a', place.dataDir, copy])
    const script = `mount -t tmpfs -o size=16m none "${place.dataDir}" && cp -a "${copy}/." "${place.dataDir}" &&
      { "$0" "$@"; code=$?; ls -A "${place.dataDir}/backups"; exit $code; }`
    const { code, stdout, stderr } = await place.run(['migrate'], { before: [...OWN_MOUNTS, script] })
    expect(stderr).toMatch(/needs 1\d MB in \S+backups: free some space and try again\. The database is unchanged\.\n$/)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stdout).toBe('')
    expect(code).toBe(5)
  })

  test('gets its name only when it is complete, and an unfinished one is deleted by the next start', async () => {
    if (onPostgres) return expect(place.databaseUrl).not.toBe('')
    await downgrade(40_000)
    for (let round = 0; round < 3; round++) {
      const child = place.start(['migrate'])
      while (backups().length === 0) {
        expect(child.exitCode).toBeNull()
        await Bun.sleep(1)
      }
      child.kill('SIGKILL')
      await child.exited
      for (const name of backups().filter((found) => found.startsWith('before-'))) {
        const db = new Database(join(place.dataDir, 'backups', name), { readonly: true })
        expect(db.query('SELECT count(*) FROM ballast').values()).toEqual([[40_000]])
        db.close()
        rmSync(join(place.dataDir, 'backups', name))
      }
    }
    writeFileSync(join(place.dataDir, 'backups/.before-x.db-journal'), 'of a killed process')
    const { code, stderr } = await place.run(['migrate'])
    // The migration fails, and the copy, which equals the database, is deleted.
    expect(stderr).toContain('was rolled back')
    expect(code).toBe(4)
    expect(backups()).toEqual([])
  })
})

test('migrate --status lists pending migrations, migrate applies them, and then the database is up to date', async () => {
  const status = (): Promise<string> => place.run(['migrate', '--status']).then(({ stdout }) => stdout)
  if (onPostgres) {
    await place.newDatabase()
    expect(await status()).toStartWith('pending  0001_')
  } else {
    expect(await status()).toStartWith('There is no database yet')
    expect(existsSync(place.dataDir)).toBe(false)
  }
  const done = await place.run(['migrate'])
  expect(done.code).toBe(0)
  expect(done.stdout).toMatch(/^applied {2}0001_\w+$/m)
  const shown = await status()
  // With the kinds of those that run beside other processes.
  expect(shown.replaceAll(/ {2}(?:EXPAND|CONTRACT)$/gm, '')).toStartWith(done.stdout)
  const { stdout: json } = await place.run(['migrate', '--status', '--json'])
  expect(JSON.parse(json)).toMatchObject({
    migrations: expect.arrayContaining([{ name: '0001_foundation', kind: null, state: 'applied' }]),
    canGoBack: expect.any(Boolean),
  })
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

/** Another file in the place of the SQLite database, while the log of the earlier one is still there: neither of them is destroyed. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { send } from '../harness/client.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const PASSWORD = 'a password of somebody'
const inData = (name: string) => join(place.dataDir, name)

const register = async ({ url }: RunningCli, username: string) =>
  (await send(url, 'POST', '/api/auth/register', { body: { username, password: PASSWORD } })).status
const knows = async ({ url }: RunningCli, account: string) =>
  (await send(url, 'POST', '/api/auth/login', { body: { account, password: PASSWORD } })).status === 200

/** A consistent copy of the database beside the data directory. */
function copyDatabase(): string {
  const path = join(place.home, 'copy.db')
  const db = new Database(inData('tessera.db'))
  db.run('VACUUM INTO ?', [path])
  db.close()
  return path
}

/** A server with a user `early`, who is in the copy, and a user `late`, who is not. */
async function withCopy(): Promise<{ server: RunningCli; copy: string }> {
  const server = await place.serve()
  expect(await register(server, 'early')).toBe(200)
  const copy = copyDatabase()
  expect(await register(server, 'late')).toBe(200)
  return { server, copy }
}

/** The next start has exactly the users of the copy. */
async function startsWithCopy(): Promise<void> {
  const server = await place.serve()
  expect([await knows(server, 'early'), await knows(server, 'late')]).toEqual([true, false])
  expect(await register(server, 'new')).toBe(200)
  expect(await server.end()).toBe(0)
  const { code, stdout } = await place.run(['doctor'])
  expect(stdout).toContain('integrity check passed')
  expect(code).not.toBe(4)
}

const SENTENCE = 'tessera.db is another file than the one that'

async function refusesEverything(): Promise<void> {
  const before = readFileSync(inData('tessera.db'))
  for (const args of [['serve'], ['migrate'], ['admin', 'list'], ['doctor'], ['backup', join(place.home, 'backup')]]) {
    const { code, stdout, stderr } = await place.run(args)
    expect(stdout + stderr).toContain(SENTENCE)
    expect(code).not.toBe(0)
    if (args[0] === 'serve') expect(code).toBe(4)
    expect(readFileSync(inData('tessera.db')).equals(before)).toBe(true)
  }
}

function moveLogAway(): void {
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(inData(`tessera.db${suffix}`)))
      renameSync(inData(`tessera.db${suffix}`), join(place.home, `old${suffix}`))
}

describe.if(!onPostgres)('a file that is put in the place of the database', () => {
  test('is the database of the next start if the running server is then stopped, and the old log is kept', async () => {
    const { server, copy } = await withCopy()
    renameSync(copy, inData('tessera.db'))
    expect(await server.end()).toBe(4)
    expect(readdirSync(place.dataDir)).toContain('tessera.db.replaced-wal')
    await startsWithCopy()
  })

  test('is refused until the old log is moved away if the running server is then killed', async () => {
    const { server, copy } = await withCopy()
    renameSync(copy, inData('tessera.db'))
    await server.end('SIGKILL')
    await refusesEverything()
    moveLogAway()
    await startsWithCopy()
  })

  test('after the server was killed is refused, also with the inode of the old one', async () => {
    const { server, copy } = await withCopy()
    await server.end('SIGKILL')
    rmSync(inData('tessera.db'))
    copyFileSync(copy, inData('tessera.db'))
    await refusesEverything()
    moveLogAway()
    await startsWithCopy()
  })

  test('after the database was moved away under the server is refused, and the database that is put back is not', async () => {
    const { server, copy } = await withCopy()
    renameSync(inData('tessera.db'), join(place.home, 'original.db'))
    expect(await server.end()).toBe(4)
    renameSync(copy, inData('tessera.db'))
    await refusesEverything()
    renameSync(join(place.home, 'original.db'), inData('tessera.db'))
    const again = await place.serve()
    expect([await knows(again, 'early'), await knows(again, 'late')]).toEqual([true, true])
    expect(await again.end()).toBe(0)
  })
})

describe.if(!onPostgres)('a start after a kill', () => {
  const hasBoth = async () => {
    const server = await place.serve()
    expect([await knows(server, 'early'), await knows(server, 'late')]).toEqual([true, true])
    return server
  }

  test('is accepted after the server was killed, also twice and during the next start', async () => {
    const { server } = await withCopy()
    await server.end('SIGKILL')
    await (await hasBoth()).end('SIGKILL')
    const starting = place.start(['serve'])
    starting.kill('SIGKILL')
    await starting.exited
    await (await hasBoth()).end()
  })

  test('is accepted after the directory of a killed server was copied as a whole to another place, or restored in place', async () => {
    const { server } = await withCopy()
    await server.end('SIGKILL')
    const saved = join(place.home, 'saved')
    expect(await Bun.$`cp -a ${place.dataDir} ${saved}`.nothrow().quiet()).toMatchObject({ exitCode: 0 })
    await (await hasBoth()).end('SIGKILL')
    // Over the files that are there, which keep their inodes.
    await Bun.$`cp -a ${saved}/. ${place.dataDir}`.quiet()
    await (await hasBoth()).end('SIGKILL')
    rmSync(place.dataDir, { recursive: true })
    await Bun.$`cp -a ${saved} ${place.dataDir}`.quiet()
    await (await hasBoth()).end()
  })

  test('is accepted after the backup of a killed server was restored over its data', async () => {
    const { server } = await withCopy()
    const archive = join(place.home, 'backup.tar')
    expect(await place.run(['backup', archive])).toMatchObject({ code: 0 })
    await server.end('SIGKILL')
    const restored = await place.run(['restore', archive])
    expect(restored.stderr).toBe('')
    expect(restored.code).toBe(0)
    await (await hasBoth()).end()
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { writeDurably } from '#platform/files.ts'
import { BadKey, signingKey } from '#platform/keys.ts'
import { DataDirectoryError, lockDataDirectory, readHolder } from '#platform/lock.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tessera-directory-'))
})
afterEach(() => rmSync(home, { recursive: true }))

describe('the lock', () => {
  test('the data directory is locked once, even within one process and by another path, and can be locked again later', () => {
    const dataDir = join(home, 'data')
    const lock = lockDataDirectory(dataDir, 'serve')
    symlinkSync(dataDir, join(home, 'other'))
    for (const path of [dataDir, join(home, 'other'), `${dataDir}/../data`])
      expect(() => lockDataDirectory(path, 'serve')).toThrow(DataDirectoryError)
    lock.release()
    lock.release()
    lockDataDirectory(dataDir, 'serve').release()
  })

  test('the lock is kept after a second attempt of its own process, and refuses another process', () => {
    const dataDir = join(home, 'data')
    const lock = lockDataDirectory(dataDir, 'serve')
    expect(() => lockDataDirectory(dataDir, 'serve')).toThrow()
    const module = Bun.resolveSync('../../src/platform/lock.ts', import.meta.dir)
    const script = `try { (await import('${module}')).lockDataDirectory('${dataDir}', 'x') } catch (e) { console.log(e.kind, e.message) }`
    const { stdout } = Bun.spawnSync([process.execPath, '-e', script])
    expect(stdout.toString()).toContain(`busy Another Tessera (process ${process.pid})`)
    lock.release()
  })

  test('the lock file names the process and its address until the lock is released', () => {
    const lock = lockDataDirectory(join(home, 'data'), 'serve')
    expect(readHolder(join(home, 'data'))).toMatchObject({ pid: process.pid, verb: 'serve' })
    lock.announce('http://127.0.0.1:1')
    expect(readHolder(join(home, 'data'))).toMatchObject({ pid: process.pid, url: 'http://127.0.0.1:1' })
    lock.release()
    expect(readHolder(join(home, 'data'))).toBeUndefined()
  })

  test('locking leaves no file of its write check', () => {
    lockDataDirectory(join(home, 'data'), 'serve').release()
    expect(readdirSync(join(home, 'data')).toSorted()).toEqual(['apps', 'backups', 'files', 'keys', 'lock.db'])
  })
})

describe('the signing key', () => {
  const config = (secret = '') => ({ dataDir: home, secret })

  test('the signing key is generated once, has 256 bits and can be read by the owner only', async () => {
    const key = await signingKey(config())
    expect(key).toHaveLength(32)
    expect(new Set(key).size).toBeGreaterThan(8)
    expect(await signingKey(config())).toEqual(key)
    expect(statSync(join(home, 'keys/signing.key')).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(home, 'keys'))).toEqual(['signing.key'])
    rmSync(join(home, 'keys/signing.key'))
    expect(await signingKey(config())).not.toEqual(key)
  })

  test('with a configured secret the signing key is derived from it and no file is written', async () => {
    const one = await signingKey(config('a'.repeat(32)))
    expect(one).toHaveLength(32)
    expect(await signingKey({ dataDir: '/nowhere', secret: 'a'.repeat(32) })).toEqual(one)
    expect(await signingKey(config('b'.repeat(32)))).not.toEqual(one)
    expect(Buffer.from(one).toString('latin1')).not.toContain('aaaa')
    expect(readdirSync(home)).toEqual([])
  })

  test.each(['', 'short', 'not base64 !!!', 'A'.repeat(200)])(
    'a key file that contains %j is refused and not replaced',
    async (text) => {
      await signingKey(config())
      writeFileSync(join(home, 'keys/signing.key'), text)
      await expect(signingKey(config())).rejects.toThrow(BadKey)
      expect(readFileSync(join(home, 'keys/signing.key'), 'utf8')).toBe(text)
    },
  )
})

test('writeDurably replaces the whole file with the requested mode, or changes nothing', async () => {
  const path = join(home, 'x')
  await writeDurably(path, 'one', 0o600)
  await writeDurably(path, 'two', 0o640)
  expect(readFileSync(path, 'utf8')).toBe('two')
  expect(statSync(path).mode & 0o777).toBe(0o640)
  await expect(writeDurably(join(home, 'missing/x'), 'three', 0o600)).rejects.toThrow('ENOENT')
  await expect(writeDurably(home, 'three', 0o600)).rejects.toThrow()
  expect(readdirSync(home)).toEqual(['x'])
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { whileFilesAreKept } from '#platform/backup/under-way.ts'
import { LocalBlobs } from '#platform/blobs/local.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'tessera-blobs-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function storedBytes() {
  const blobs = new LocalBlobs(folder)
  const path = join(folder, 'upload')
  writeFileSync(path, 'a photo')
  await blobs.put('ab/abcd.1', path)
  return blobs
}

test('while a backup is copied, deleted bytes stay on disk', async () => {
  const blobs = await storedBytes()
  await whileFilesAreKept(folder, async () => {
    await blobs.delete('ab/abcd.1')
    expect(await blobs.stat('ab/abcd.1')).toMatchObject({ size: 7 })
  })
  await blobs.delete('ab/abcd.1')
  expect(await blobs.stat('ab/abcd.1')).toBeUndefined()
})

test('a backup that failed or was killed keeps no bytes for longer than a day', async () => {
  const blobs = await storedBytes()
  const failed = whileFilesAreKept(folder, () => Promise.reject(new Error('no space')))
  expect(failed).rejects.toThrow('no space')
  await failed.catch(() => undefined)
  expect(readdirSync(join(folder, '.backups'))).toEqual([])

  const killed = join(folder, '.backups', 'killed')
  writeFileSync(killed, '')
  await blobs.delete('ab/abcd.1')
  expect(await blobs.stat('ab/abcd.1')).toBeDefined()
  const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 3600
  utimesSync(killed, twoDaysAgo, twoDaysAgo)
  await blobs.delete('ab/abcd.1')
  expect(await blobs.stat('ab/abcd.1')).toBeUndefined()
})

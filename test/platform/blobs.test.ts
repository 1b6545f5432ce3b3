/** Both adapters of the blob store pass the same tests. */

import { afterAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defaultConfig } from '#config/config.ts'
import { openBlobs, openStaging } from '#platform/blobs/index.ts'
import { type BlobFacts, blobKey, type Bytes } from '#platform/blobs/port.ts'

import { race } from '../harness/race.ts'
import { fileStores } from '../harness/s3.ts'

const root = mkdtempSync(join(tmpdir(), 'tessera-blobs-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0
/** Random bytes, so that parts in the wrong order are noticed. */
const random = (size: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(size, at + 65_536)))
  return bytes
}
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const keyOf = (bytes: Uint8Array): string => blobKey(sha256(bytes), `k${count++}`)
const textOf = (bytes: Bytes | undefined): Promise<string> => new Response(bytes!).text()
const hashOf = async (bytes: Bytes | undefined): Promise<string> => sha256(await new Response(bytes!).bytes())

async function all(list: AsyncIterable<BlobFacts>): Promise<BlobFacts[]> {
  const found: BlobFacts[] = []
  for await (const facts of list) found.push(facts)
  return found.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

for (const { name, config } of await fileStores())
  describe(`blobs: ${name}`, () => {
    const dataDir = join(root, `data-${count++}`)
    const blobs = openBlobs({ ...defaultConfig, ...config, dataDir })
    const staging = openStaging({ ...defaultConfig, dataDir })

    async function staged(bytes: Uint8Array): Promise<string> {
      const path = await staging.newPath()
      await Bun.write(path, bytes)
      return path
    }

    async function stored(bytes: Uint8Array, key = keyOf(bytes)): Promise<string> {
      await blobs.put(key, await staged(bytes))
      return key
    }

    const hello = new TextEncoder().encode('hello world')

    test(`${name}: put stores the bytes and takes the file away`, async () => {
      const path = await staged(hello)
      const key = keyOf(hello)
      const before = Date.now()
      await blobs.put(key, path)
      expect(existsSync(path)).toBe(false)
      expect(await textOf(await blobs.read(key))).toBe('hello world')
      const facts = await blobs.stat(key)
      expect(facts).toEqual({ key, size: 11, modifiedAt: expect.any(Number) })
      // S3 counts whole seconds.
      expect(facts!.modifiedAt).toBeGreaterThan(before - 1500)
      expect(facts!.modifiedAt).toBeLessThan(Date.now() + 1500)
    })

    test.each([
      [0, 5, 'hello'],
      [6, 11, 'world'],
      [6, 100, 'world'],
      [10, 11, 'd'],
      [4, 4, ''],
      [11, 20, ''],
      [50, 60, ''],
    ])(`${name}: read of the range %d to %d`, async (start, end, expected) => {
      const key = await stored(hello)
      expect(await textOf(await blobs.read(key, { start, end }))).toBe(expected)
    })

    test(`${name}: empty bytes are stored like others`, async () => {
      const key = await stored(new Uint8Array())
      expect(await textOf(await blobs.read(key))).toBe('')
      expect(await textOf(await blobs.read(key, { start: 0, end: 10 }))).toBe('')
      expect((await blobs.stat(key))?.size).toBe(0)
      expect((await all(blobs.list(key))).map((facts) => facts.size)).toEqual([0])
    })

    test.each([
      ['20 MB', 20_000_000],
      ['exactly one part', 8 * 1024 * 1024],
      ['one byte more than a part', 8 * 1024 * 1024 + 1],
      ['exactly five parts', 40 * 1024 * 1024],
    ])(`${name}: %s are stored unchanged`, async (_, size) => {
      const bytes = random(size)
      const key = await stored(bytes)
      expect((await blobs.stat(key))?.size).toBe(size)
      expect(await hashOf(await blobs.read(key))).toBe(sha256(bytes))
      const [start, end] = [size - 100_000, size - 10]
      expect(await hashOf(await blobs.read(key, { start, end }))).toBe(sha256(bytes.subarray(start, end)))
      await blobs.delete(key)
    })

    test(`${name}: an unknown key is undefined everywhere, and its deletion does nothing`, async () => {
      const key = keyOf(random(10))
      expect(await blobs.read(key)).toBeUndefined()
      expect(await blobs.read(key, { start: 1, end: 2 })).toBeUndefined()
      expect(await blobs.read(key, { start: 1, end: 1 })).toBeUndefined()
      expect(await blobs.stat(key)).toBeUndefined()
      await blobs.delete(key)
      // The folder of a key is not a key.
      await stored(hello, key)
      expect(await blobs.stat(key.slice(0, 2))).toBeUndefined()
      expect(await blobs.read(key.slice(0, 2))).toBeUndefined()
    })

    test(`${name}: deleted bytes are gone, and others are not`, async () => {
      const [gone, kept] = [await stored(hello), await stored(hello)]
      await blobs.delete(gone)
      await blobs.delete(gone)
      expect(await blobs.read(gone)).toBeUndefined()
      expect(await all(blobs.list(gone))).toEqual([])
      expect(await textOf(await blobs.read(kept))).toBe('hello world')
    })

    test(`${name}: list returns the keys with a prefix, their sizes and times`, async () => {
      const bytes = [random(1), random(2), random(3)]
      const keys = await Promise.all(bytes.map((each) => stored(each)))
      const found = await all(blobs.list(''))
      for (const [i, key] of keys.entries()) {
        expect(found).toContainEqual({ key, size: i + 1, modifiedAt: expect.any(Number) })
        expect(await all(blobs.list(key.slice(0, 20)))).toEqual([expect.objectContaining({ key })])
        expect((await all(blobs.list(key.slice(0, 2)))).map((facts) => facts.key)).toContain(key)
      }
      expect(new Set(found.map(({ key }) => key)).size).toBe(found.length)
      expect(await all(blobs.list('zz/'))).toEqual([])
    })

    test(`${name}: list returns more keys than fit on a page of S3`, async () => {
      const keys = Array.from({ length: 1100 }, (_, i) => `page/${String(i).padStart(4, '0')}`)
      for (let i = 0; i < keys.length; i += 50)
        await Promise.all(keys.slice(i, i + 50).map(async (key) => blobs.put(key, await staged(hello))))
      expect((await all(blobs.list('page/'))).map((facts) => facts.key)).toEqual(keys)
    })

    test(`${name}: list goes on when bytes are deleted meanwhile`, async () => {
      const keys = await Promise.all(Array.from({ length: 20 }, () => stored(random(8))))
      let seen = 0
      for await (const facts of blobs.list('')) {
        if (seen++ === 0) for (const key of keys) await blobs.delete(key)
        if (keys.includes(facts.key)) expect(facts.size).toBe(8)
      }
      expect(seen).toBeGreaterThan(0)
    })

    test(`${name}: 50 uploads of the same bytes at once are 50 complete objects`, async () => {
      const bytes = random(300_000)
      const keys = Array.from({ length: 50 }, () => keyOf(bytes))
      await race(50, (i) => stored(bytes, keys[i]))
      expect(new Set(keys).size).toBe(50)
      for (const key of keys) expect(await hashOf(await blobs.read(key))).toBe(sha256(bytes))
    })

    test(`${name}: bytes that are deleted while they are read arrive completely or fail`, async () => {
      const bytes = random(20_000_000)
      const key = await stored(bytes)
      const reading = new Response((await blobs.read(key))!).body!.getReader()
      const first = await reading.read()
      await blobs.delete(key)
      const hash = createHash('sha256').update(first.value!)
      let complete = true
      try {
        for (let next = await reading.read(); !next.done; next = await reading.read()) hash.update(next.value)
      } catch {
        complete = false
      }
      if (complete) expect(hash.digest('hex')).toBe(sha256(bytes))
      expect(await blobs.read(key)).toBeUndefined()
    })

    test(`${name}: a slow reader gets all bytes, also after a garbage collection`, async () => {
      const bytes = random(12_000_000)
      const stream = new Response((await blobs.read(await stored(bytes)))!).body!
      const hash = createHash('sha256')
      let chunks = 0
      for await (const chunk of stream) {
        hash.update(chunk)
        if (chunks++ < 10) {
          Bun.gc(true)
          await Bun.sleep(5)
        }
      }
      expect(hash.digest('hex')).toBe(sha256(bytes))
    })

    test(`${name}: a put without its file fails and stores nothing`, async () => {
      const key = keyOf(hello)
      await expect(blobs.put(key, join(dataDir, 'none'))).rejects.toThrow()
      expect(await blobs.stat(key)).toBeUndefined()
    })

    test.each(['../x', 'ab/../../x', '/etc/passwd', '.staging/x', 'ab/.x', '', 'a b', 'ab//c', 'ab\\c', 'x\0'])(
      `${name}: %p is refused as a key`,
      async (key) => {
        await expect((async () => blobs.read(key))()).rejects.toThrow(TypeError)
        await expect((async () => blobs.delete(key))()).rejects.toThrow(TypeError)
        if (blobs.storage === 'OSS') expect(() => blobs.presignPut(key, 1, 60)).toThrow(TypeError)
      },
    )

    test(`${name}: check succeeds and leaves nothing`, async () => {
      const before = (await all(blobs.list(''))).length
      await blobs.check()
      expect((await all(blobs.list(''))).length).toBe(before)
    })

    test(`${name}: 16 uploads of 20 MB at once do not need all of them in memory`, async () => {
      const bytes = random(20_000_000)
      const uploads: { key: string; path: string }[] = []
      for (let i = 0; i < 16; i++) uploads.push({ key: keyOf(bytes), path: await staged(bytes) })
      // In a process of its own, because the tests before have left garbage in this one.
      const argument = JSON.stringify({ config: { ...defaultConfig, ...config, dataDir }, uploads })
      const child = Bun.spawn([process.execPath, join(import.meta.dir, 'upload-memory.ts'), argument])
      const result = JSON.parse(await new Response(child.stdout).text()) as { grown: number; sha256: string }
      expect(await child.exited).toBe(0)
      expect(result.sha256).toBe(sha256(bytes))
      // Measured: 8 MB with S3, 0 with local files.
      expect(result.grown).toBeLessThan(60e6)
      // Later tests need the space.
      for (const { key } of await all(blobs.list(sha256(bytes).slice(0, 2)))) await blobs.delete(key)
    })
  })

import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readTar, tarEnd, TarError, tarHeader, tarPadding } from '#lib/tar.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tessera-tar-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const NAMES = [
  'a',
  'files/ab/cd',
  '中文/名字.txt',
  'x'.repeat(99),
  'y'.repeat(100),
  'z'.repeat(101),
  `d/${'long '.repeat(60)}`,
  'apps/😀 "q".apk',
  ' lead',
]
const bytesOf = (i: number): Uint8Array => new Uint8Array([0, 1, 511, 512, 513, 100_000, 7, 2, 3][i]!).fill(65 + i)

function archive(entries: readonly { name: string; bytes: Uint8Array }[]): Uint8Array {
  const parts = entries.flatMap(({ name, bytes }) => [
    tarHeader({ name, size: bytes.length, modified: 1_700_000_000_000 }),
    bytes,
    tarPadding(bytes.length),
  ])
  return Buffer.concat([...parts, tarEnd()])
}

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(
  bytes: Uint8Array,
  size = 65_536,
): Promise<{ name: string; bytes: Uint8Array; modified: number }[]> {
  const files = []
  for await (const file of readTar(cut(bytes, size))) {
    const chunks = []
    for await (const chunk of file.bytes) chunks.push(Buffer.from(chunk))
    files.push({ name: file.name, bytes: new Uint8Array(Buffer.concat(chunks)), modified: file.modified })
  }
  return files
}

const ours = archive(NAMES.map((name, i) => ({ name, bytes: bytesOf(i) })))

describe('writing', () => {
  test.each([1, 7, 512, 4096, 1_000_000])('our archive is read back from chunks of %d bytes', async (size) => {
    const files = await read(ours, size)
    expect(files.map((file) => file.name)).toEqual(NAMES)
    for (const [i, file] of files.entries()) expect(Buffer.compare(file.bytes, bytesOf(i))).toBe(0)
    expect(files.every((file) => file.modified === 1_700_000_000_000)).toBe(true)
  })

  test('the system tar reads our archive', async () => {
    await Bun.write(join(scratch, 'ours.tar'), ours)
    const list = Bun.spawnSync(['tar', '--quoting-style=literal', '-tf', join(scratch, 'ours.tar')], {
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
    expect(list.stderr.toString()).toBe('')
    expect(list.stdout.toString().trimEnd().split('\n')).toEqual(NAMES)
    const one = Bun.spawnSync(['tar', '-xOf', join(scratch, 'ours.tar'), NAMES[5]!])
    expect(one.stdout.length).toBe(100_000)
  })

  test('a size above 8 GiB is written as a pax record', async () => {
    const size = 9 * 1024 ** 3
    const files = readTar(cut(tarHeader({ name: 'big', size, modified: 0 }), 512))
    expect((await files.next()).value).toMatchObject({ name: 'big', size })
  })
})

test('archives of GNU tar can be read', async () => {
  for (const format of ['ustar', 'pax', 'posix']) {
    const folder = mkdtempSync(join(scratch, 'gnu-'))
    const name = `deep/${'n'.repeat(60)}/${'m'.repeat(60)}.txt`
    mkdirSync(join(folder, 'deep', 'n'.repeat(60)), { recursive: true })
    await Bun.write(join(folder, name), 'content')
    Bun.spawnSync(['tar', `--format=${format}`, '-cf', 'out.tar', name], { cwd: folder })
    expect(await read(await Bun.file(join(folder, 'out.tar')).bytes())).toMatchObject([
      { name, bytes: new TextEncoder().encode('content') },
    ])
  }
})

describe('reading refuses', () => {
  test('an archive with links, folders or devices is refused', async () => {
    const folder = mkdtempSync(join(scratch, 'bad-'))
    symlinkSync('/etc/passwd', join(folder, 'link'))
    mkdirSync(join(folder, 'folder'))
    for (const name of ['link', 'folder', '/dev/null']) {
      Bun.spawnSync(['tar', '-Pcf', 'out.tar', name], { cwd: folder })
      const bytes = await Bun.file(join(folder, 'out.tar')).bytes()
      expect(bytes.length).toBeGreaterThan(0)
      await expect(read(bytes)).rejects.toThrow(TarError)
    }
  })

  test('an archive that is truncated anywhere is refused', async () => {
    const small = archive([
      { name: 'a', bytes: bytesOf(5).subarray(0, 1500) },
      { name: 'z'.repeat(120), bytes: bytesOf(6) },
    ])
    // A reader does not need the second block of zeros.
    for (let length = 0; length < small.length - 1024; length += 97)
      await expect(read(small.subarray(0, length))).rejects.toThrow(TarError)
  })

  test('a header with one changed byte is refused', async () => {
    const small = archive([{ name: 'abc', bytes: new Uint8Array(3) }])
    for (let at = 0; at < 512; at += 3) {
      const changed = Uint8Array.from(small)
      changed[at]! ^= 1
      await expect(read(changed), String(at)).rejects.toThrow(TarError)
    }
  })

  test('data after the end of an archive is refused, zeros are not', async () => {
    const small = archive([{ name: 'a', bytes: new Uint8Array(3) }])
    await expect(read(Buffer.concat([small, small]))).rejects.toThrow('follows the end')
    expect(await read(Buffer.concat([small, new Uint8Array(10_240)]))).toHaveLength(1)
  })

  test('a name that is not UTF-8 is refused', async () => {
    const header = tarHeader({ name: 'abc', size: 0, modified: 0 })
    header[1] = 0xff
    const sum = header.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0)
    header.set(new TextEncoder().encode(sum.toString(8).padStart(6, '0')), 148)
    await expect(read(Buffer.concat([header, tarEnd()]))).rejects.toThrow('UTF-8')
  })
})

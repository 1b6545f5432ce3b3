/** Reads and writes the archives of backups, to change them on purpose. */

import { readTar, tarEnd, tarHeader, tarPadding } from '#lib/tar.ts'

export async function members(path: string): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  const { stdout } = Bun.spawnSync(['zstd', '-dc', path])
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield stdout
  }
  for await (const file of readTar(bytes())) {
    const chunks = []
    for await (const chunk of file.bytes) chunks.push(Buffer.from(chunk))
    found.set(file.name, Buffer.concat(chunks))
  }
  return found
}

export async function pack(file: string, entries: Iterable<[string, Uint8Array]>): Promise<void> {
  const parts: Uint8Array[] = []
  for (const [name, bytes] of entries)
    parts.push(tarHeader({ name, size: bytes.length, modified: 0 }), bytes, tarPadding(bytes.length))
  await Bun.write(file, Bun.zstdCompressSync(Buffer.concat([...parts, tarEnd()])))
}

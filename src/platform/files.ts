/** File operations whose result survives a power cut. */

import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { uuid } from './ids.ts'

/** Syncs the names in `directory`: files created, renamed or removed there. Windows has no such call and does not need it. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes a small file. At every moment, it has either its old or its complete new content. */
export async function writeDurably(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const directory = dirname(path)
  const temporary = join(directory, `.${uuid()}.tmp`)
  try {
    const handle = await open(temporary, 'wx', mode)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncDirectory(directory)
}

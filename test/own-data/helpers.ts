/** Exports of data, and what is in their archives. */

import { unzipSync } from 'fflate'

import { pathOf } from '../files/helpers.ts'
import { ok, type Person, type TestServer, until } from '../harness/index.ts'

const text = new TextDecoder()

export interface Archive {
  readonly names: readonly string[]
  /** All texts of the archive, one after the other. */
  readonly texts: string
  readonly bytes: (name: string) => Uint8Array
  readonly json: (area: string) => Record<string, unknown>[]
  readonly text: (name: string) => string
}

export function readArchive(zip: Uint8Array): Archive {
  const entries = unzipSync(zip)
  const get = (name: string): Uint8Array => {
    const bytes = entries[name]
    if (bytes === undefined) throw new Error(`${name} is not in the archive: ${Object.keys(entries).join(' ')}`)
    return bytes
  }
  return {
    names: Object.keys(entries),
    texts: Object.entries(entries)
      .filter(([name]) => !name.startsWith('files/'))
      .map(([, bytes]) => text.decode(bytes))
      .join('\n'),
    bytes: get,
    text: (name) => text.decode(get(name)),
    json: (area) => JSON.parse(text.decode(get(`data/${area}.json`))) as Record<string, unknown>[],
  }
}

/** Waits for the caller's latest export. */
export async function finished(person: Person) {
  let job = ok(await person.call('ownData.latest')).data
  await until(async () => {
    job = ok(await person.call('ownData.latest')).data
    if (job === null) throw new Error('there is no export')
    return job.status !== 'RUNNING'
  }, 'the export has ended')
  return job!
}

export async function download(server: TestServer, person: Person, id: string): Promise<Uint8Array> {
  const { url } = ok(await person.call('ownData.downloadLink', { params: { id } })).data
  const response = await fetch(server.url + pathOf(url))
  if (response.status !== 200) throw new Error(`the download answered ${response.status}`)
  return response.bytes()
}

export async function exported(server: TestServer, person: Person, body: object = {}): Promise<Archive> {
  ok(await person.call('ownData.start', { body }))
  const job = await finished(person)
  if (job.status !== 'READY') throw new Error(`the export is ${job.status}`)
  return readArchive(await download(server, person, job.id))
}

/** Devices of users with the reference client, and a network between them and the server that can fail. */

import { SyncClient } from '../../examples/sync-client/client.ts'
import type { Row, Storage } from '../../examples/sync-client/storage.ts'
import { MemoryStorage } from '../../examples/sync-client/storage.ts'
import { send } from '../harness/client.ts'
import type { Person } from '../harness/index.ts'
import { person as personOf } from '../harness/people.ts'

/** Decides what happens to a request. `pass` sends it to the server. */
export type Network = (pass: () => Promise<Response>, url: string) => Promise<Response>

export interface Device {
  readonly client: SyncClient
  readonly storage: Storage
  readonly person: Person
  /** Bodies of the pushes that the client sent. */
  readonly pushes: string[]
  /** Milliseconds that the client wanted to wait before it repeated a request. */
  readonly waits: number[]
  /** How often the client asked for a new token. */
  signIns: number
  network: Network
  /** Milliseconds by which the clock of the device is wrong. */
  clockError: number
}

export const INTACT: Network = (pass) => pass()
export const OFFLINE: Network = async () => {
  throw new Error('no network')
}
/** The server receives pushes, and their answers are lost. */
export const LOSES_ANSWERS: Network = async (pass, url) => {
  const response = await pass()
  if (!url.endsWith('/push')) return response
  await response.bytes()
  throw new Error('the connection was lost')
}

/** The same user on a new device. */
export async function onNewDevice(url: string, { username, password }: Person): Promise<Person> {
  const deviceId = `device-of-${username}-${crypto.randomUUID()}`
  return await signIn(url, { username, password, deviceId })
}

async function signIn(url: string, user: Pick<Person, 'username' | 'password' | 'deviceId'>): Promise<Person> {
  const { username, password, deviceId } = user
  const headers = { 'x-device-id': deviceId }
  const login = await send(url, 'POST', '/api/auth/login', { headers, body: { account: username, password } })
  return personOf(url, login, username, password, deviceId)
}

/** A device with the client. With `storage`, the app on this device was started again. */
export function device(url: string, person: Person, storage: Storage = new MemoryStorage()): Device {
  const made: Device = {
    storage,
    person,
    pushes: [],
    waits: [],
    signIns: 0,
    network: INTACT,
    clockError: 0,
    client: new SyncClient({
      url,
      deviceId: person.deviceId,
      storage,
      async token(isExpired) {
        if (isExpired) {
          made.signIns++
          person.token = (await signIn(url, person)).token
        }
        return person.token
      },
      fetch(address, init) {
        if (address.endsWith('/push')) made.pushes.push(init.body as string)
        return made.network(() => fetch(address, init), address)
      },
      sleep: async (ms) => void made.waits.push(ms),
      now: () => Date.now() + made.clockError,
    }),
  }
  return made
}

/** Rows as stored, by entity and id. */
export const rowsOf = async ({ storage }: Device, entity?: string): Promise<Row[]> =>
  (await storage.transaction((tx) => tx.rows(entity))).sort(
    (a, b) => a.entity.localeCompare(b.entity) || (a.serverId ?? 0) - (b.serverId ?? 0),
  )

/** Values that change without a new version. */
const UNSTABLE = ['codeCount', 'assetCount', 'scanCount']

/** The server's state as this device knows it, without counters: equal on all devices of a user. */
export const serverState = async (of: Device): Promise<unknown[]> =>
  (await rowsOf(of)).map(({ entity, serverId, isGone, server }) => {
    const view = Object.fromEntries(Object.entries(server ?? {}).filter(([name]) => !UNSTABLE.includes(name)))
    return { entity, serverId, isGone, view }
  })

/** The names of the rows that the app shows, in alphabetical order. */
export const shownNames = async ({ client }: Device, entity: string): Promise<unknown[]> =>
  (await client.list(entity)).map(({ data }) => data['name']).sort()

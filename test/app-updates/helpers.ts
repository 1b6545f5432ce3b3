/** Publisher keys, packages and publications for the tests of app updates. */

import type { Place } from '#db/maintenance.ts'
import { insertPublisherKey } from '#db/publisher-keys.ts'
import { sha256 } from '#platform/ids.ts'

import { type Reply, send } from '../harness/client.ts'
import { inProcess, type Person, type TestServer } from '../harness/index.ts'

export const hashOf = (bytes: string | Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

export const placeOf = (server: TestServer): Place =>
  inProcess ? server.ctx.config : { databaseUrl: '', dataDir: server.dataDir }

/** Makes a key beside the running server, like the command line. */
export async function makeKey(server: TestServer, name = 'CI'): Promise<{ key: string; id: number }> {
  const key = `key of ${name} ${crypto.randomUUID()}`
  const { id } = await insertPublisherKey(placeOf(server), name, sha256(key))
  // In this process the server may have read the database in the same turn of the event loop, and then sees the key in a later one.
  while ((await publish(server, key, {})).status === 401);
  return { key, id }
}

/** Somebody who may publish: a key, or a signed-in user. */
export type Publisher = string | Pick<Person, 'token' | 'deviceId'>

const credentials = (who: Publisher | undefined) =>
  who === undefined
    ? {}
    : typeof who === 'string'
      ? { headers: { 'x-publish-key': who } }
      : { token: who.token, deviceId: who.deviceId }

export const upload = (server: TestServer, who: Publisher | undefined, name: string, bytes: string | Uint8Array) => {
  const { headers, ...rest } = { headers: {}, ...credentials(who) }
  return send(server.url, 'PUT', `/api/app/packages/${name}`, {
    ...rest,
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: bytes,
  })
}

export const publish = (server: TestServer, who: Publisher | undefined, body: object): Promise<Reply> =>
  send(server.url, 'POST', '/api/app/update/publish', { ...credentials(who), body })

/** Uploads a package of its own and publishes it as this version. */
export async function release(server: TestServer, who: Publisher, versionCode: number, more: object = {}) {
  const name = `app-${versionCode}.apk`
  await upload(server, who, name, `bytes of ${versionCode}`)
  const downloadUrl = `/api/app/download/${name}`
  return publish(server, who, { versionCode, versionName: `1.${versionCode}`, downloadUrl, ...more })
}

export const download = (server: TestServer, name: string, headers: Record<string, string> = {}) =>
  send(server.url, 'GET', `/api/app/download/${name}`, { headers })

import { setSetting } from '#domains/settings/index.ts'
import type { SettingKey, SettingValue } from '#domains/settings/settings.model.ts'

import { type Call, callBy } from '../harness/api.ts'
import { type Method, ok, type Person, type Reply, type RequestOptions, type TestServer } from '../harness/index.ts'

export interface Key {
  readonly id: number
  readonly key: string
  call: Call
  send(method: Method, path: string, options?: RequestOptions): Promise<Reply>
  get(path: string, query?: RequestOptions['query']): Promise<Reply>
}

type Wishes = Partial<{
  name: string
  domain: 'APP' | 'ORG' | 'PLATFORM'
  orgId: number
  points: string[]
  networks: string[]
  expiresAt: number
  mcp: 'OFF' | 'READ' | 'WRITE'
}>

export function keyOf(server: Pick<TestServer, 'request'>, id: number, key: string): Key {
  const send: Key['send'] = (method, path, options = {}) =>
    server.request(method, path, { ...options, headers: { authorization: `Bearer ${key}`, ...options.headers } })
  return { id, key, send, call: callBy(send), get: (path, query) => send('GET', path, query ? { query } : {}) }
}

export async function makeKey(server: Pick<TestServer, 'request'>, owner: Person, wishes: Wishes = {}): Promise<Key> {
  const body = { name: 'Spreadsheet', points: ['qr_code:read'], ...wishes }
  // The clock of tests runs ahead of the sign-in.
  ok(await owner.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: owner.password }))
  const { data } = ok(await owner.call('apiKeys.create', { body }))
  return keyOf(server, data.id, data.key)
}

export const set = <K extends SettingKey>(server: Pick<TestServer, 'ctx'>, key: K, value: SettingValue<K>) =>
  server.ctx.db.write('test', (tx) => setSetting(tx, key, value))

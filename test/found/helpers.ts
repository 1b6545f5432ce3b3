/** Helpers for the tests of lost and found. */

import { type Asset, createAsset } from '../assets/helpers.ts'
import { inProcess, ok, type Person, type Reply, type RequestOptions, type TestServer } from '../harness/index.ts'
import { type Code, createCode } from '../qr-codes/helpers.ts'

export const DAY = 86_400_000

const JSON_ONLY = { accept: 'application/json' }
const ALWAYS = { when: 'ALWAYS', text: 'Please write to me' } as const

/** An asset whose page shows its name and the card. */
export async function findableAsset(owner: Person, fields: object = {}, card: object = ALWAYS): Promise<Asset> {
  const asset = await createAsset(owner, { publicFields: ['name'], ...fields })
  ok(await owner.call('found.updateAssetCard', { params: { id: asset.id }, body: card }))
  return asset
}

/** A public code whose page shows the card. */
export async function findableCode(owner: Person, fields: object = {}): Promise<Code> {
  const code = await createCode(owner, { content: 'My school bag', isPublic: true, ...fields })
  ok(await owner.call('found.updateCodeCard', { params: { id: code.id }, body: ALWAYS }))
  return code
}

let addresses = 0
/** From an address of its own, so that limits of addresses do not interfere. */
export const fromNewAddress = (): string => `198.51.${(++addresses >> 8) & 255}.${addresses & 255}`

export const pathOf = (thing: Asset | Code): string =>
  'assetNo' in thing ? `/s/asset/${thing.uuid}` : `/public/qr/${thing.uuid}`

/** `found` of the JSON of the public page. */
export const formOf = async (server: TestServer, thing: Asset | Code) =>
  ok(await server.request('GET', pathOf(thing), { headers: JSON_ONLY })).data.found as {
    key: string
    text: string
    askPosition: boolean
  } | null

/** A key of the page that may be used now. */
export async function keyOf(server: TestServer, thing: Asset | Code): Promise<string> {
  const { key } = (await formOf(server, thing))!
  await reading(server)
  return key
}

/** The two seconds in which nobody can have read the page. */
export async function reading(server: TestServer): Promise<void> {
  if (inProcess) server.clock.advance(2000)
  else await Bun.sleep(2000)
}

export const sendWith = (
  server: TestServer,
  key: string,
  body: object,
  { ip = fromNewAddress(), ...options }: RequestOptions & { ip?: string } = {},
): Promise<Reply> =>
  server.request('POST', `/public/found/${key}`, {
    body,
    ...options,
    headers: { ...JSON_ONLY, 'x-forwarded-for': ip, ...options.headers },
  })

/** Writes to the owner of the thing. Returns the path of the conversation. */
export async function report(server: TestServer, thing: Asset | Code, body: object = {}): Promise<string> {
  const reply = await sendWith(server, await keyOf(server, thing), { message: 'I found it', ...body })
  return new URL(ok(reply).data.threadUrl as string).pathname
}

export const readThread = (server: TestServer, path: string) => server.request('GET', path, { headers: JSON_ONLY })
export const writeThread = (server: TestServer, path: string, message: string) =>
  server.request('POST', path, { body: { message }, headers: JSON_ONLY })

export const reportsOf = async (
  owner: Person,
  query: { orgId?: number; status?: 'OPEN' | 'RETURNED' | 'CLOSED' } = {},
) => ok(await owner.call('found.reports', { query: { size: 100, ...query } })).data.items

/** The newest report of the owner, with all messages. */
export async function newestReport(owner: Person, query: { orgId?: number } = {}) {
  const [first] = await reportsOf(owner, query)
  return ok(await owner.call('found.report', { params: { id: first!.id } })).data
}

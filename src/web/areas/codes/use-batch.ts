/** Creates many codes at once, and never twice: a request whose answer was lost may have created them. */

import { useRef, useState } from 'react'

import { call } from '../../api/client.ts'
import type { BodyOf, InputOf, WrittenQrCode } from '../../api/types.ts'
import { ownerQuery } from '../../session/session.ts'

type Items = BodyOf<'qrCodes.createBatch'>['items']

/** The request whose answer was lost. */
interface Lost {
  /** Codes of earlier requests whose answers were lost too. */
  readonly before: readonly WrittenQrCode[]
  readonly items: Items
  /** Id of the newest code before it; 0 without codes. */
  readonly newest: number
}

const PAGE = 100

const newestCodes = (page: number, size: number) =>
  call('qrCodes.list', { query: { ...ownerQuery(), sort: '-createdAt', page, size } })

/** The codes of lost requests, in their order. The server creates all codes of a request or none. */
async function findLost({ before, items, newest }: Lost): Promise<readonly WrittenQrCode[]> {
  const later: WrittenQrCode[] = []
  for (let page = 1; ; page++) {
    const { items: codes } = await newestCodes(page, PAGE)
    const own = codes.filter(({ id }) => id > newest)
    later.push(...own.map((code) => ({ ...code, warnings: [] })))
    if (own.length < PAGE) break
  }
  later.sort((a, b) => a.id - b.id)
  const first = later.findIndex(({ name, content }) => name === items[0]!.name && content === items[0]!.content)
  const found = first === -1 ? [] : later.slice(first, first + items.length)
  return found.length === items.length ? [...before, ...found] : before
}

/** The items without those that exist as codes. People may have changed the lines after the lost answer. */
function missing(items: Items, codes: readonly WrittenQrCode[]): Items {
  const left = codes.map(keyOf)
  return items.filter((item) => {
    const at = left.indexOf(keyOf(item))
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

const keyOf = ({ name, content }: Pick<WrittenQrCode, 'name' | 'content'>): string => `${name}\n${content}`

/** `send` is for `useForm('qrCodes.createBatch')`. `sent`: the items of the latest request, to whose places the problems of a refusal refer. */
export function useBatch() {
  const lost = useRef<Lost>(undefined)
  const [sent, setSent] = useState<Items>([])
  const send = async ({ body: { items } }: InputOf<'qrCodes.createBatch'>) => {
    const before = lost.current === undefined ? [] : await findLost(lost.current)
    const rest = missing(items, before)
    if (rest.length === 0) return { count: before.length, items: [...before] }
    setSent(rest)
    // A refused request creates nothing and finds nothing later.
    lost.current = { before, items: rest, newest: (await newestCodes(1, 1)).items[0]?.id ?? 0 }
    const created = await call('qrCodes.createBatch', { query: ownerQuery(), body: { items: rest } })
    lost.current = undefined
    const codes = [...before, ...created.items]
    return { count: codes.length, items: codes }
  }
  return { send, sent }
}

/** Creates many codes at once, and never twice: a request whose answer was lost may have created them. */

import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'

import { call } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useRefresh } from '../../api/hooks.ts'
import type { BodyOf, QrCode } from '../../api/types.ts'
import { ownerQuery } from '../../session/session.ts'

type Items = BodyOf<'qrCodes.createBatch'>['items']

/** The request whose answer was lost. */
interface Lost {
  readonly items: Items
  /** Id of the newest code before it; 0 without codes. */
  readonly newest: number
}

const PAGE = 100

const newestCodes = (page: number, size: number) =>
  call('qrCodes.list', { query: { ...ownerQuery(), sort: '-createdAt', page, size } })

/** The codes of a lost request, in its order; undefined if it created none. The server creates all or none. */
async function findLost({ items, newest }: Lost): Promise<readonly QrCode[] | undefined> {
  const later: QrCode[] = []
  for (let page = 1; ; page++) {
    const { items: codes } = await newestCodes(page, PAGE)
    const own = codes.filter(({ id }) => id > newest)
    later.push(...own)
    if (own.length < PAGE) break
  }
  later.sort((a, b) => a.id - b.id)
  const first = later.findIndex(({ name, content }) => name === items[0]!.name && content === items[0]!.content)
  const found = first === -1 ? [] : later.slice(first, first + items.length)
  return found.length === items.length ? found : undefined
}

export function useBatch(onCreated: (codes: readonly QrCode[]) => void) {
  const lost = useRef<Lost>(undefined)
  const refresh = useRefresh()
  return useMutation<readonly QrCode[], ApiError, Items>({
    mutationFn: async (items) => {
      const found = lost.current && (await findLost(lost.current))
      if (found !== undefined) return found
      lost.current = { items, newest: (await newestCodes(1, 1)).items[0]?.id ?? 0 }
      try {
        return (await call('qrCodes.createBatch', { query: ownerQuery(), body: { items } })).items
      } catch (error) {
        // A refusal created nothing.
        if (error instanceof ApiError && error.status >= 400 && error.status < 500) lost.current = undefined
        throw error
      }
    },
    onSuccess: async (codes) => {
      lost.current = undefined
      await refresh('qrCodes', 'categories')
      onCreated(codes)
    },
  })
}

/** Which contacts are online, for the lists and pages that show them. */

import { useQueries } from '@tanstack/react-query'

import { call } from '../api/client.ts'
import { serverTime } from '../browser/server-time.ts'
import { clockTime, dateTime } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'

const words = texts({
  en: { online: 'Online', lastSeen: (time: string) => `Last seen ${time}` },
  zh: { online: '在线', lastSeen: (time: string) => `最后在线 ${time}` },
})

/** Milliseconds between two questions while the page is visible. */
const EVERY = 60_000
/** People of one question. */
const AT_ONCE = 100

const isSameDay = (a: number, b: number): boolean => new Date(a).toDateString() === new Date(b).toDateString()

/** Returns a text for each person: online, or last seen at a time. It is empty for people whom the user may not see. */
export function usePresence(userIds: readonly number[]): (userId: number) => string {
  const t = useTexts(words)
  const may = useMay()
  const parts = may('contacts.presence')
    ? Array.from({ length: Math.ceil(userIds.length / AT_ONCE) }, (_, i) =>
        userIds.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
      )
    : []
  const answers = useQueries({
    queries: parts.map((ids) => ({
      queryKey: ['contacts', 'presence', ids],
      queryFn: () => call('contacts.presence', { query: { userIds: [...ids] } }),
      // Users who do not share their own presence see none, so they ask once.
      refetchInterval: ({ state }: { state: { data?: { shared: boolean } | undefined } }) =>
        state.data?.shared === false ? (false as const) : EVERY,
    })),
  })
  const seen = new Map(answers.flatMap(({ data }) => data?.items ?? []).map((item) => [item.userId, item]))
  return (userId) => {
    const item = seen.get(userId)
    if (item === undefined) return ''
    if (item.online) return t.online
    const { lastSeenAt } = item
    return t.lastSeen(isSameDay(lastSeenAt, serverTime()) ? clockTime(lastSeenAt) : dateTime(lastSeenAt))
  }
}

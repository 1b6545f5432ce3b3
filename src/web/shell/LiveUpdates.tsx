/**
 * Reactions to the socket that every page has: numbers of unread messages, lists that have changed, and a short message for each new
 * notification. After a lost connection everything that is shown is read again.
 */

import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'

import { call } from '../api/client.ts'
import { useRefresh } from '../api/hooks.ts'
import { notify } from '../browser/notices.ts'
import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { addUnreadMessages, type Frame, sendFrame, setUnreadMessages, useLive } from '../session/live.ts'
import { type OpenPage, renewPush } from '../session/push.ts'
import { registerWorkerLater } from '../session/service-worker.ts'
import { may, reloadSession, useSession } from '../session/session.ts'
import { applyFrame, weightOf } from './conversation-cache.ts'
import { keepLater } from './keep.ts'

const words = texts({ en: { open: 'Open' }, zh: { open: '查看' } })

/** Milliseconds before conversations are read again. A random part, up to as much, keeps the members of a group apart. */
const SOON = 300
/** The same after they were just read. */
const PAUSE = 5_000

/** Says that somebody is here, for those who share it with their contacts. */
const sayHere = (): void => {
  if (document.visibilityState === 'visible') sendFrame('presence', {})
}

export function LiveUpdates() {
  const t = useTexts(words)
  const refresh = useRefresh()
  const { pathname } = useLocation()
  const client = useQueryClient()
  const { user } = useSession()
  // The listeners must be stable, although the values that they use change.
  const latest = useRef({ t, refresh, pathname })
  useEffect(() => {
    latest.current = { t, refresh, pathname }
  })

  const locale = useLocale()
  useEffect(() => {
    // A browser that cannot reach its push service tries again when the page is opened the next time.
    if (may('push.subscribe')) void renewPush(user.id).catch(() => undefined)
  }, [user.id, locale])
  useEffect(registerWorkerLater, [locale])
  useEffect(() => keepLater(user.id), [user.id])
  const navigate = useNavigate()
  useEffect(() => {
    const open = ({ data }: MessageEvent<OpenPage>) => data.type === 'open' && void navigate(data.path)
    navigator.serviceWorker?.addEventListener('message', open)
    return () => navigator.serviceWorker?.removeEventListener('message', open)
  }, [navigate])
  const readAgain = useRarely(() => {
    void refresh('conversations.list', 'conversations.get', 'groups.members')
    void countUnread()
  })
  const onChat = useCallback(
    (frame: Frame) => {
      const { unread, isWhole } = applyFrame(client, frame, user.id)
      if (unread !== undefined) addUnreadMessages(unread)
      if (!isWhole || unread === undefined) readAgain()
    },
    [client, user.id, readAgain],
  )
  const onNotification = useCallback(({ data }: Frame) => {
    const { t: text, refresh: again, pathname: path } = latest.current
    void again('notifications')
    const { id, title, type, data: about } = data.notification
    if (String(type).startsWith('ORG_')) void again('orgs')
    // The user is a member now: pages that are open offer what members may do.
    if (type === 'ORG_APPROVED') void reloadSession().catch(() => undefined)
    // The user has moved up from the waiting list or got a pass, for example.
    if (about?.foundReportId !== undefined) void again('found')
    if (about?.reservationId !== undefined) void again('assetReservations', 'assets')
    if (about?.activityId !== undefined) void again('activities', 'registrations')
    if (path.startsWith('/notifications')) return
    notify(title, 'info', { label: text.open, to: `/notifications/${id}` })
  }, [])
  const onReconnected = useCallback(() => void client.invalidateQueries(), [client])
  const onContact = useCallback(() => void latest.current.refresh('contacts'), [])
  useEffect(() => {
    const timer = setInterval(sayHere, 60_000)
    return () => clearInterval(timer)
  }, [])
  useLive('hello', sayHere)
  useLive('message', onChat)
  useLive('message.recalled', onChat)
  useLive('message.updated', onChat)
  useLive('conversation.updated', onChat)
  useLive('read', onChat)
  useLive('notification', onNotification)
  useLive('contact.request', onContact)
  useLive('reconnected', onReconnected)
  return null
}

/** Returns a stable function that has `work` done soon, and again at most every few seconds however often it is called. */
function useRarely(work: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const doneAt = useRef(0)
  const latest = useRef(work)
  useEffect(() => {
    latest.current = work
  })
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return useCallback(() => {
    if (timer.current !== undefined) return
    const pause = Date.now() - doneAt.current > PAUSE ? SOON : PAUSE
    timer.current = setTimeout(
      () => {
        timer.current = undefined
        doneAt.current = Date.now()
        latest.current()
      },
      pause * (1 + Math.random()),
    )
  }, [])
}

/** Sums up the unread messages of all conversations, for the badge. */
async function countUnread(): Promise<void> {
  if (!may('conversations.list')) return
  const { items } = await call('conversations.list', { query: { unread: true, size: 100 } }).catch(() => ({
    items: [],
  }))
  setUnreadMessages(items.reduce((sum, each) => sum + weightOf(each), 0))
}

/** Actions on notifications. Each change also corrects the number of unread ones. */

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'

import { call } from '../../api/client.ts'
import { useAction } from '../../api/hooks.ts'
import type { Notification } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { setUnreadNotifications } from '../../session/live.ts'
import { chooseWorkspace, useSession } from '../../session/session.ts'
import { targetOf } from './links.ts'

const words = texts({
  en: {
    deleted: 'Notification deleted.',
    allRead: (n: number) =>
      n === 1 ? 'One notification is marked as read.' : `${n} notifications are marked as read.`,
  },
  zh: { deleted: '通知已删除。', allRead: (n: number) => `${n} 条通知已标为已读。` },
})

const recount = async (): Promise<void> => {
  const { count } = await call('notifications.unreadCount')
  setUnreadNotifications(count)
}

export function useNotificationActions(onDeleted?: () => void) {
  const t = useTexts(words)
  const onDone = () => void recount()
  return {
    read: useAction('notifications.read', { onDone }),
    readAll: useAction('notifications.readAll', { onDone }),
    // A deleted notification cannot be read again, and its page may still be shown.
    remove: useAction('notifications.delete', {
      done: t.deleted,
      refreshes: ['notifications.list'],
      onDone: () => {
        onDone()
        onDeleted?.()
      },
    }),
  }
}

/** Opens the page that a notification is about, a list in the workspace of its organization. */
export function useOpenTarget(): (notification: Pick<Notification, 'type' | 'data'>) => void {
  const navigate = useNavigate()
  const client = useQueryClient()
  const { orgs, workspace } = useSession()
  return (notification) => {
    const target = targetOf(notification)
    if (target === undefined) return
    const org = target.orgId === null ? null : orgs.find(({ id }) => id === target.orgId)
    if (target.orgId !== undefined && org !== undefined && org?.id !== workspace?.id) {
      chooseWorkspace(org)
      client.removeQueries()
    }
    void navigate(target.to)
  }
}

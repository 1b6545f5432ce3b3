/** Asks before a notification is deleted. */

import type { Notification } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { useNotificationActions } from './use-notifications.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Delete this notification?',
    text: (title: string) => `“${title}” is deleted on all your devices. This cannot be undone.`,
  },
  zh: {
    ...common.zh,
    title: '删除此通知？',
    text: (title: string) => `“${title}”将从你的所有设备上删除。此操作无法撤销。`,
  },
})

export interface DeleteDialogProps {
  /** Undefined: the dialog is closed. */
  notification: Notification | undefined
  onDeleted: () => void
  onClose: () => void
}

export function DeleteDialog({ notification, onDeleted, onClose }: DeleteDialogProps) {
  const t = useTexts(words)
  const { remove } = useNotificationActions(onDeleted)
  return (
    <ConfirmDialog
      isOpen={notification !== undefined}
      title={t.title}
      text={notification && t.text(notification.title)}
      action={t.delete}
      isBusy={remove.isPending}
      onConfirm={() => notification && remove.mutate({ params: { id: notification.id } })}
      onClose={onClose}
    />
  )
}

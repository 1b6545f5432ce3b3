/** Copying, repeating, ending, cancelling and deleting an activity. Each dialog says what will happen. */

import { ContentCopy, Delete, EventBusy, EventRepeat, MoreVert, Stop } from '@mui/icons-material'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import type { Activity } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { IconMenu, MenuEntry } from '../../ui/MenuButton.tsx'
import { CopyDialog, SeriesDialog } from './Repeat.tsx'
import { useRights } from './rights.ts'

const words = texts({
  en: {
    more: 'More actions',
    copy: 'Copy',
    repeat: 'Repeat',
    end: 'End',
    endTitle: 'End this activity?',
    endText:
      'Registration, check-in and the gate close at once. People still see the activity, and its records stay. An ended activity cannot be changed or opened again.',
    ended: 'The activity has ended.',
    cancel: 'Cancel activity',
    cancelTitle: 'Cancel this activity?',
    cancelText:
      'Registration, check-in and the gate close at once, and passes no longer show a code. People see that the activity is cancelled. This cannot be undone.',
    cancelled: 'The activity is cancelled.',
    remove: 'Delete',
    removeTitle: (name: string) => `Delete “${name}”?`,
    removeText:
      'The activity is gone for everyone, with its registrations, check-ins and passes. This cannot be undone.',
    removed: 'The activity is deleted.',
  },
  zh: {
    more: '更多操作',
    copy: '复制',
    repeat: '重复',
    end: '结束活动',
    endTitle: '结束此活动？',
    endText: '报名、签到和检票将立即关闭。活动仍然可见，记录会保留。结束后不能再修改或重新开放。',
    ended: '活动已结束。',
    cancel: '取消活动',
    cancelTitle: '取消此活动？',
    cancelText: '报名、签到和检票将立即关闭，通行证不再显示二维码，参加者会看到活动已取消。此操作无法撤销。',
    cancelled: '活动已取消。',
    remove: '删除',
    removeTitle: (name: string) => `删除“${name}”？`,
    removeText: '活动将对所有人消失，包括报名、签到和通行证。此操作无法撤销。',
    removed: '活动已删除。',
  },
})

type Asked = 'ENDED' | 'CANCELLED' | 'DELETE'

export function StatusActions({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const can = useRights(activity)
  const [asked, setAsked] = useState<Asked | 'COPY' | 'REPEAT'>()
  const close = () => setAsked(undefined)
  const mayEnd = activity.status === 'ACTIVE' && can('activities.setStatus')
  const mayDelete = activity.status !== 'ACTIVE' && can('activities.delete')
  const choices = [
    { id: 'COPY' as const, icon: <ContentCopy />, label: t.copy, isShown: can('activities.copy') },
    { id: 'REPEAT' as const, icon: <EventRepeat />, label: t.repeat, isShown: can('activities.createSeries') },
    { id: 'ENDED' as const, icon: <Stop />, label: t.end, isShown: mayEnd },
    { id: 'CANCELLED' as const, icon: <EventBusy />, label: t.cancel, isShown: mayEnd },
    { id: 'DELETE' as const, icon: <Delete />, label: t.remove, isShown: mayDelete },
  ].filter(({ isShown }) => isShown)
  return (
    <>
      {choices.length > 0 && (
        <IconMenu label={t.more} icon={<MoreVert />} edge="end">
          {choices.map(({ id, icon, label }) => (
            <MenuEntry key={id} icon={icon} text={label} onClick={() => setAsked(id)} />
          ))}
        </IconMenu>
      )}
      {asked === 'COPY' ? (
        <CopyDialog activity={activity} onClose={close} />
      ) : asked === 'REPEAT' ? (
        <SeriesDialog activity={activity} onClose={close} />
      ) : (
        asked && <StatusDialog activity={activity} asked={asked} onClose={close} />
      )}
    </>
  )
}

interface StatusDialogProps {
  activity: Activity
  asked: Asked
  onClose: () => void
}

export function StatusDialog({ activity, asked, onClose }: StatusDialogProps) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const end = useAction('activities.setStatus', { done: t.ended, onDone: onClose, quiet: true })
  const cancel = useAction('activities.setStatus', { done: t.cancelled, onDone: onClose, quiet: true })
  const remove = useAction('activities.delete', {
    done: t.removed,
    quiet: true,
    refreshes: ['activities.list', 'activities.discover'],
    onDone: () => void navigate('/activities', { replace: true }),
  })
  const params = { id: activity.id }
  const dialog = {
    ENDED: {
      title: t.endTitle,
      text: t.endText,
      action: t.end,
      use: end,
      run: () => end.mutate({ params, body: { status: 'ENDED' } }),
    },
    CANCELLED: {
      title: t.cancelTitle,
      text: t.cancelText,
      action: t.cancel,
      use: cancel,
      run: () => cancel.mutate({ params, body: { status: 'CANCELLED' } }),
    },
    DELETE: {
      title: t.removeTitle(activity.name),
      text: t.removeText,
      action: t.remove,
      use: remove,
      run: () => remove.mutate({ params }),
    },
  }[asked]
  return (
    <ConfirmDialog
      isOpen
      title={dialog.title}
      text={dialog.text}
      action={dialog.action}
      isCancelling={asked === 'CANCELLED'}
      isBusy={dialog.use.isPending}
      error={dialog.use.error}
      onConfirm={dialog.run}
      onClose={onClose}
    />
  )
}

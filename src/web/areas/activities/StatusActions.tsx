/** Copying, repeating, ending, cancelling and deleting an activity. Each dialog says what will happen. */

import { ContentCopy, Delete, EventBusy, EventRepeat, MoreVert, Stop } from '@mui/icons-material'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import type { Activity } from '../../api/types.ts'
import { serverTime } from '../../browser/server-time.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { IconMenu, MenuEntry } from '../../ui/MenuButton.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { noticeBody, NoticeFields, noticeValues, noticeWords, useReaders } from './messages/Notice.tsx'
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

export function StatusDialog({ asked, ...props }: StatusDialogProps) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const params = { id: props.activity.id }
  if (asked === 'CANCELLED') return <CancelDialog {...props} />
  if (asked === 'ENDED')
    return (
      <ActionDialog
        operation="activities.setStatus"
        input={{ params, body: { status: 'ENDED' } }}
        title={t.endTitle}
        text={t.endText}
        action={t.end}
        done={t.ended}
        onClose={props.onClose}
      />
    )
  return (
    <ActionDialog
      operation="activities.delete"
      input={{ params }}
      title={t.removeTitle(props.activity.name)}
      text={t.removeText}
      action={t.remove}
      done={t.removed}
      refreshes={['activities.list', 'activities.discover']}
      onDone={() => void navigate('/activities', { replace: true })}
      onClose={props.onClose}
    />
  )
}

function CancelDialog({ activity, onClose }: Omit<StatusDialogProps, 'asked'>) {
  const t = useTexts(words)
  const notice = useTexts(noticeWords)
  const [now] = useState(serverTime)
  const readers = useReaders(activity)
  const asks = readers.areThere && activity.endTime > now
  const form = useForm('activities.setStatus', () => noticeValues(activity), {
    done: t.cancelled,
    onDone: onClose,
    input: (values) => ({
      params: { id: activity.id },
      body: { status: 'CANCELLED' as const, ...(asks && noticeBody(values)) },
    }),
  })
  return (
    <ConfirmDialog
      isOpen
      title={t.cancelTitle}
      text={t.cancelText}
      action={t.cancel}
      isCancelling
      form={form}
      onClose={onClose}
    >
      {asks ? <NoticeFields label={notice.tell(readers.count)} values={form.values} onChange={form.set} /> : undefined}
    </ConfirmDialog>
  )
}

/** Removal of a message by those who manage the group, and reports of messages to the administrators. */

import { TextField } from '@mui/material'

import type { Message } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    remove: 'Remove',
    removeTitle: 'Remove this message for everyone?',
    removeReason: 'Reason, shown to the members',
    report: 'Report',
    reportTitle: 'Report this message?',
    reportReason: 'What is wrong with it?',
    reportText: 'The administrators of this server get a copy of the message. You will be notified of the outcome.',
    reported: 'The message is reported.',
  },
  zh: {
    remove: '移除',
    removeTitle: '为所有人移除这条消息？',
    removeReason: '原因（成员可见）',
    report: '举报',
    reportTitle: '举报这条消息？',
    reportReason: '举报原因',
    reportText: '服务器管理员会收到这条消息的副本，处理结果会通知你。',
    reported: '已举报该消息。',
  },
})

export interface ModerationProps {
  message: Message
  onChanged: (messages: readonly Message[]) => void
  onClose: () => void
}

export function RemoveDialog({ message: { id }, onChanged, onClose }: ModerationProps) {
  const t = useTexts(words)
  const form = useForm(
    'messages.remove',
    { reason: '' },
    {
      input: ({ reason }) => ({ params: { id }, body: { reason: reason.trim() || null } }),
      refreshes: ['conversations'],
      onDone(changed) {
        onChanged([changed])
        onClose()
      },
    },
  )
  return (
    <FormDialog form={form} title={t.removeTitle} action={t.remove} color="error" onClose={onClose} maxWidth="xs">
      <TextField {...form.text('reason', { label: t.removeReason })} autoFocus multiline />
    </FormDialog>
  )
}

export function ReportDialog({ message: { id }, onClose }: Omit<ModerationProps, 'onChanged'>) {
  const t = useTexts(words)
  const form = useForm(
    'messages.report',
    { reason: '' },
    { input: ({ reason }) => ({ params: { id }, body: { reason } }), done: t.reported, onDone: onClose },
  )
  return (
    <FormDialog form={form} title={t.reportTitle} action={t.report} onClose={onClose} maxWidth="xs">
      <span>{t.reportText}</span>
      <TextField {...form.text('reason', { label: t.reportReason })} autoFocus multiline required />
    </FormDialog>
  )
}

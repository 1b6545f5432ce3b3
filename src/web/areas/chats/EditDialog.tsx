/** Another text for a message that was sent. */

import { TextField } from '@mui/material'

import type { GroupMember, Message } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { mentionsOf } from './mentions.ts'

const words = texts({
  en: { title: 'Edit message', text: 'Message', action: 'Save', gone: 'Write something, or recall the message.' },
  zh: { title: '编辑消息', text: '消息', action: '保存', gone: '请输入内容，或撤回消息。' },
})

/** Characters of a message (docs/chat.md). */
const MAX = 5_000

export interface EditDialogProps {
  message: Message
  members: readonly GroupMember[]
  onChanged: (messages: readonly Message[]) => void
  onClose: () => void
}

export function EditDialog({ message, members, onChanged, onClose }: EditDialogProps) {
  const t = useTexts(words)
  const { id, content } = message
  const before = (content['mentions'] ?? []) as readonly number[]
  const form = useForm(
    'messages.edit',
    { text: String(content['text']) },
    {
      input({ text }) {
        // An edit can keep the mention of all, but not add it.
        const mentioned = mentionsOf(text, members, content['mentionsAll'] === true, new Set(before))
        return { params: { id }, body: { content: { text: text.trim(), ...mentioned } } }
      },
      refreshes: ['conversations'],
      onDone(changed) {
        onChanged([changed])
        onClose()
      },
    },
  )
  const isEmpty = form.values.text.trim() === ''
  return (
    <FormDialog form={form} title={t.title} action={t.action} isDisabled={isEmpty} onClose={onClose}>
      <TextField
        label={t.text}
        value={form.values.text}
        onChange={(event) => form.set({ text: event.target.value })}
        helperText={isEmpty ? t.gone : ' '}
        slotProps={{ htmlInput: { maxLength: MAX } }}
        maxRows={12}
        multiline
        autoFocus
        fullWidth
      />
    </FormDialog>
  )
}

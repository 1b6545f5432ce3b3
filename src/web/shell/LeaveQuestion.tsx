/** The question before a form is left whose changes were not saved (`browser/unsaved.ts`). */

import { useSyncExternalStore } from 'react'

import { answer, currentQuestion, focusField, onQuestion } from '../browser/unsaved.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { ConfirmDialog } from '../ui/dialogs.tsx'

const words = texts({
  en: {
    title: 'Leave without saving?',
    text: 'Your changes in this form have not been saved and will be lost.',
    discard: 'Discard',
    keep: 'Keep editing',
  },
  zh: {
    title: '不保存就离开？',
    text: '此表单中的更改尚未保存，离开后会丢失。',
    discard: '放弃更改',
    keep: '继续编辑',
  },
})

export function LeaveQuestion() {
  const t = useTexts(words)
  const isOpen = useSyncExternalStore(onQuestion, currentQuestion) !== undefined
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t.title}
      text={t.text}
      action={t.discard}
      cancel={t.keep}
      onConfirm={() => answer(true)}
      onClose={() => answer(false)}
      onClosed={focusField}
    />
  )
}

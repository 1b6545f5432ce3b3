/** Changes what a code leads to, and nothing else of it. */

import { Alert } from '@mui/material'
import { useState } from 'react'

import type { QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwnerQuery } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { contentOf, type Values, valuesOf } from './code-values.ts'
import { ContentInput } from './CodeFormParts.tsx'
import { showWarnings } from './show-warnings.ts'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    title: (name: string) => `Change the target of “${name}”`,
    dynamic: 'Printed copies lead to the new target as soon as you save.',
    fixed: 'This changes the picture of the code. Printed copies keep the old target: print them again.',
    done: 'Target changed.',
  },
  zh: {
    title: (name: string) => `修改“${name}”的目标`,
    dynamic: '保存后，已印刷的码立即指向新目标。',
    fixed: '此码的图片会改变，已印刷的码仍指向旧目标，请重新打印。',
    done: '目标已修改。',
  },
})

const contentIn = ({ contentType, fields, isRaw, raw }: Values) => ({ contentType, fields, isRaw, raw })

export interface TargetDialogProps {
  code: QrCode
  onClose: () => void
}

export default function TargetDialog({ code, onClose }: TargetDialogProps) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const owned = useOwnerQuery()
  const [first] = useState(() => valuesOf(code, code.categoryId))
  const form = useForm('qrCodes.update', first, {
    done: t.done,
    paths: { raw: 'content', style: [] },
    onDone(saved) {
      showWarnings(saved)
      onClose()
    },
    // Only the content: other parts of the code may have changed since the list was read.
    from: { version: code.version, values: (row: QrCode) => ({ ...first, ...contentIn(valuesOf(row, null)) }) },
    input: (values) => ({ params: { id: code.id }, query: owned, body: { content: contentOf(values) } }),
  })
  const submit: typeof form.submit = (event) => {
    event?.preventDefault()
    if (contentOf(form.values) === '') form.set({ isIncomplete: true })
    else form.submit(event)
  }
  return (
    <FormDialog form={{ ...form, submit }} title={t.title(code.name)} action={shared.save} onClose={onClose}>
      <ContentInput form={form} hasFocus />
      <Alert severity={code.isDynamic ? 'info' : 'warning'}>{code.isDynamic ? t.dynamic : t.fixed}</Alert>
    </FormDialog>
  )
}

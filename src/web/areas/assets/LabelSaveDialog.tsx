/** Saves the settings of labels under the name of a printer. */

import { TextField } from '@mui/material'

import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwnerQuery } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { profileBody, type Settings } from './label-order.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Save as a printer',
    name: 'Name of the printer',
    saved: 'The printer was saved.',
  },
  zh: {
    ...common.zh,
    title: '保存为打印机',
    name: '打印机名称',
    saved: '已保存打印机。',
  },
})

export function LabelSaveDialog({
  settings,
  onSaved,
  onClose,
}: {
  settings: Settings
  onSaved: (id: number) => void
  onClose: () => void
}) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const form = useForm(
    'labelProfiles.create',
    { name: '' },
    {
      done: t.saved,
      input: ({ name }) => ({ body: { name, ...profileBody(settings), ...owned } }),
      onDone: ({ id }) => {
        onSaved(id)
        onClose()
      },
    },
  )
  return (
    <FormDialog form={form} title={t.title} action={t.save} onClose={onClose}>
      <TextField {...form.text('name', { label: t.name })} autoFocus />
    </FormDialog>
  )
}

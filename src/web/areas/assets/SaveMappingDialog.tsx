/** Saves under a name how a file is read. */

import { TextField } from '@mui/material'

import type { AssetImportMapping } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwnerQuery } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'
import type { ImportKind, Reading } from './import-values.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Save as a mapping',
    help: 'The next file with these columns can be read with the same columns, words and options.',
    name: 'Name of the mapping',
    saved: 'The mapping was saved.',
  },
  zh: {
    ...common.zh,
    title: '保存为映射',
    help: '下次导入包含这些列的文件时，可以使用相同的列、词语和选项。',
    name: '映射名称',
    saved: '已保存映射。',
  },
})

interface Props {
  kind: ImportKind
  check: Reading
  options: AssetImportMapping['options']
  onClose: () => void
}

export function SaveMappingDialog({ kind, check, options, onClose }: Props) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const headings = check.columns.map(({ header }) => header)
  const form = useForm(
    'importMappings.create',
    { name: '' },
    {
      done: t.saved,
      input: ({ name }) => ({ body: { kind, name, headings, options, ...owned } }),
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.title} action={t.save} onClose={onClose}>
      <TextField {...form.text('name', { label: t.name, help: t.help })} autoFocus />
    </FormDialog>
  )
}

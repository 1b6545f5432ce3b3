/** Chooses the folder of a code. Not shown where there are no folders. */

import { useTexts } from '../../i18n/words.ts'
import { ChoiceField } from '../../ui/fields.tsx'
import { flatten } from '../../ui/tree/tree.ts'
import type { FieldProps } from '../../ui/use-form.tsx'
import { useFolders, useHasFolders } from './folders.ts'
import { codeWords } from './words.ts'

export function FolderField({ value, ...props }: FieldProps<number | null>) {
  const t = useTexts(codeWords)
  const { data } = useFolders()
  if (!useHasFolders()) return null
  return (
    <ChoiceField
      {...props}
      label={t.folder}
      value={data === undefined ? null : value}
      choices={flatten(data ?? []).map(({ id, path }) => ({ id, name: path }))}
      none={t.noFolder}
    />
  )
}

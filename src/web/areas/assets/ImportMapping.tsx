/** The saved mapping of the file that is being imported: uses it, changes it, or saves a new one. */

import { Save } from '@mui/icons-material'
import { Alert, Button, Stack } from '@mui/material'
import { useState } from 'react'

import { callWith } from '../../api/client.ts'
import { useAction, useCall } from '../../api/hooks.ts'
import type { AssetImportMapping } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwnerQuery } from '../../session/session.ts'
import type { Form } from '../../ui/use-form.tsx'
import { type ImportKind, type ImportValues, optionsOf, type Reading, valuesOf } from './import-values.ts'
import { SaveMappingDialog } from './SaveMappingDialog.tsx'

const words = texts({
  en: {
    known: (name: string) => `A mapping was saved for files with these columns: “${name}”.`,
    use: 'Use the saved mapping',
    used: (name: string) => `The file is read with the saved mapping “${name}”.`,
    saveAs: 'Save as a mapping',
    saveTo: (name: string) => `Save to “${name}”`,
    saved: 'The mapping was saved.',
  },
  zh: {
    known: (name: string) => `已为包含这些列的文件保存过映射：“${name}”。`,
    use: '使用保存的映射',
    used: (name: string) => `正在使用保存的映射“${name}”读取文件。`,
    saveAs: '保存为映射',
    saveTo: (name: string) => `保存到“${name}”`,
    saved: '已保存映射。',
  },
})

/** All that there can be. */
export const MAX_MAPPINGS = 50

/** The saved mapping that the check has named, as soon as it is loaded. */
function useSaved(kind: ImportKind, { savedMapping }: Reading): AssetImportMapping | undefined {
  const { data } = useCall('importMappings.list', { query: { ...useOwnerQuery(), kind, size: MAX_MAPPINGS } })
  return data?.items.find(({ id }) => id === savedMapping?.id)
}

/** Whether the file is read as the mapping says. */
const isUsed = ({ kind, options }: AssetImportMapping, values: ImportValues): boolean =>
  JSON.stringify(optionsOf({ ...values, ...valuesOf(options) }, kind)) === JSON.stringify(optionsOf(values, kind))

interface Props {
  kind: ImportKind
  check: Reading
  form: Form<ImportValues>
}

/** Offers the saved mapping, or says that it is used. */
export function SavedMapping({ kind, check, form, onUse }: Props & { onUse: (part: Partial<ImportValues>) => void }) {
  const t = useTexts(words)
  const saved = useSaved(kind, check)
  if (saved === undefined) return null
  if (isUsed(saved, form.values))
    return (
      <Alert severity="success" sx={{ mb: 2 }}>
        {t.used(saved.name)}
      </Alert>
    )
  return (
    <Alert
      severity="info"
      sx={{ mb: 2, flexWrap: 'wrap' }}
      action={
        <Button color="inherit" disabled={form.isBusy} onClick={() => onUse(valuesOf(saved.options))}>
          {t.use}
        </Button>
      }
    >
      {t.known(saved.name)}
    </Alert>
  )
}

/** Saves how the file is read. */
export function SaveMapping({ kind, check, form }: Props) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const saved = useSaved(kind, check)
  const [isOpen, setOpen] = useState(false)
  const update = useAction('importMappings.update', {
    done: t.saved,
    send: async (input, to) =>
      (await callWith(to, input, { headers: { 'if-match': `"${saved?.version}"` } })) as AssetImportMapping,
  })
  const options = optionsOf(form.values, kind)
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', mt: 2 }}>
      {saved !== undefined && !isUsed(saved, form.values) && (
        <Button
          startIcon={<Save />}
          disabled={update.isPending}
          onClick={() => update.mutate({ params: { id: saved.id }, query: owned, body: { options } })}
        >
          {t.saveTo(saved.name)}
        </Button>
      )}
      <Button startIcon={<Save />} onClick={() => setOpen(true)}>
        {t.saveAs}
      </Button>
      {isOpen && <SaveMappingDialog kind={kind} check={check} options={options} onClose={() => setOpen(false)} />}
    </Stack>
  )
}

/** Saved profiles of printers: chooses one, saves the settings as a new one, changes and deletes one. */

import { Delete, Save } from '@mui/icons-material'
import { Button, Stack } from '@mui/material'
import { useState } from 'react'

import { callWith } from '../../api/client.ts'
import { useAction, useCall } from '../../api/hooks.ts'
import type { LabelProfile } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useOwnerQuery } from '../../session/session.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { profileBody, type Settings, settingsOf } from './label-order.ts'
import { LabelSaveDialog } from './LabelSaveDialog.tsx'

const words = texts({
  en: {
    ...common.en,
    profile: 'Printer',
    none: 'Not saved',
    saveAs: 'Save as a printer',
    saved: 'The printer was saved.',
    deleteTitle: (name: string) => `Delete “${name}”?`,
    deleteText: 'Labels that are printed stay as they are.',
    deleted: 'The printer was deleted.',
  },
  zh: {
    ...common.zh,
    profile: '打印机',
    none: '未保存',
    saveAs: '保存为打印机',
    saved: '已保存打印机。',
    deleteTitle: (name: string) => `删除“${name}”？`,
    deleteText: '已打印的标签不受影响。',
    deleted: '已删除打印机。',
  },
})

interface Props {
  settings: Settings
  onChange: (settings: Settings) => void
}

/** All that there can be. */
const SIZE = 50

export function LabelProfiles({ settings, onChange }: Props) {
  const t = useTexts(words)
  const may = useMay()
  const owned = useOwnerQuery()
  const { data } = useCall('labelProfiles.list', { query: { ...owned, size: SIZE } })
  const [id, setId] = useState<number | null>(null)
  const [dialog, setDialog] = useState<'save' | 'delete'>()
  const profiles = data?.items ?? []
  const chosen = profiles.find((one) => one.id === id)
  const choose = (next: number | null) => {
    setId(next)
    const found = profiles.find((one) => one.id === next)
    if (found !== undefined) onChange(settingsOf(found))
  }
  const update = useAction('labelProfiles.update', {
    done: t.saved,
    send: async (input, to) =>
      (await callWith(to, input, { headers: { 'if-match': `"${chosen?.version}"` } })) as LabelProfile,
  })
  const remove = useAction('labelProfiles.delete', {
    done: t.deleted,
    onDone: () => {
      setId(null)
      setDialog(undefined)
    },
  })
  return (
    <>
      {profiles.length > 0 && (
        <ChoiceField
          name="profile"
          label={t.profile}
          value={chosen?.id ?? null}
          none={t.none}
          onChange={choose}
          choices={profiles}
        />
      )}
      {may('labelProfiles.create') && (
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
          {chosen !== undefined && (
            <>
              <Button
                size="small"
                startIcon={<Save />}
                disabled={update.isPending}
                onClick={() => update.mutate({ params: { id: chosen.id }, query: owned, body: profileBody(settings) })}
              >
                {t.save}
              </Button>
              <Button size="small" color="error" startIcon={<Delete />} onClick={() => setDialog('delete')}>
                {t.delete}
              </Button>
            </>
          )}
          <Button size="small" onClick={() => setDialog('save')}>
            {t.saveAs}
          </Button>
        </Stack>
      )}
      {dialog === 'save' && (
        <LabelSaveDialog settings={settings} onSaved={setId} onClose={() => setDialog(undefined)} />
      )}
      {chosen !== undefined && (
        <ConfirmDialog
          isOpen={dialog === 'delete'}
          title={t.deleteTitle(chosen.name)}
          text={t.deleteText}
          action={t.delete}
          isBusy={remove.isPending}
          onClose={() => setDialog(undefined)}
          onConfirm={() => remove.mutate({ params: { id: chosen.id }, query: owned })}
        />
      )}
    </>
  )
}

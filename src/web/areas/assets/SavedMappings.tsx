/** The saved mappings of imports, which can be renamed and deleted. */

import { Delete, Edit } from '@mui/icons-material'
import { Box, Button, Card, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import type { AssetImportMapping } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { list } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'
import type { ImportKind } from './import-values.ts'
import { MAX_MAPPINGS } from './ImportMapping.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Saved mappings',
    columns: (names: string) => `Columns: ${names}`,
    rename: 'Rename',
    renameTitle: 'Rename the mapping',
    name: 'Name of the mapping',
    saved: 'The mapping was saved.',
    deleteTitle: (name: string) => `Delete the mapping “${name}”?`,
    deleteText: 'Rows that were imported with it stay as they are.',
    deleted: 'The mapping was deleted.',
  },
  zh: {
    ...common.zh,
    title: '保存的映射',
    columns: (names: string) => `列：${names}`,
    rename: '重命名',
    renameTitle: '重命名映射',
    name: '映射名称',
    saved: '已保存映射。',
    deleteTitle: (name: string) => `删除映射“${name}”？`,
    deleteText: '已导入的数据不受影响。',
    deleted: '已删除映射。',
  },
})

/** Headings that are named. */
const SHOWN = 8

export function SavedMappings({ kind }: { kind: ImportKind }) {
  const t = useTexts(words)
  const { data } = useCall('importMappings.list', { query: { ...ownerQuery(), kind, size: MAX_MAPPINGS } })
  const items = data?.items ?? []
  if (items.length === 0) return null
  return (
    <>
      <Typography variant="h2" sx={{ mt: 4, mb: 2 }}>
        {t.title}
      </Typography>
      <Card variant="outlined" component="ul" sx={{ p: 0, m: 0, listStyle: 'none' }}>
        {items.map((mapping) => (
          <MappingRow key={mapping.id} mapping={mapping} />
        ))}
      </Card>
    </>
  )
}

function MappingRow({ mapping }: { mapping: AssetImportMapping }) {
  const t = useTexts(words)
  const { id, name, headings } = mapping
  const [dialog, setDialog] = useState<'rename' | 'delete'>()
  const close = () => setDialog(undefined)
  const named = list(headings.slice(0, SHOWN))
  return (
    <Stack
      component="li"
      direction="row"
      useFlexGap
      spacing={2}
      sx={{ px: 2, py: 1.5, flexWrap: 'wrap', alignItems: 'center', '& + &': { borderTop: 1, borderColor: 'divider' } }}
    >
      <Box sx={{ flex: '1 1 220px', minWidth: 0, overflowWrap: 'anywhere' }}>
        <Typography sx={{ fontWeight: 600 }}>{name}</Typography>
        <Typography variant="body2" color="text.secondary">
          {t.columns(headings.length > SHOWN ? `${named} …` : named)}
        </Typography>
      </Box>
      <Stack direction="row" spacing={1}>
        <Button startIcon={<Edit />} onClick={() => setDialog('rename')}>
          {t.rename}
        </Button>
        <Button color="error" startIcon={<Delete />} onClick={() => setDialog('delete')}>
          {t.delete}
        </Button>
      </Stack>
      {dialog === 'rename' && <RenameDialog mapping={mapping} onClose={close} />}
      {dialog === 'delete' && (
        <ActionDialog
          title={t.deleteTitle(name)}
          text={t.deleteText}
          action={t.delete}
          operation="importMappings.delete"
          input={{ params: { id }, query: ownerQuery() }}
          done={t.deleted}
          onClose={close}
        />
      )}
    </Stack>
  )
}

function RenameDialog({ mapping, onClose }: { mapping: AssetImportMapping; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'importMappings.update',
    { name: mapping.name },
    {
      from: { version: mapping.version, values: ({ name }: { name: string }) => ({ name }) },
      done: t.saved,
      input: ({ name }) => ({ params: { id: mapping.id }, query: ownerQuery(), body: { name } }),
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.renameTitle} action={t.save} onClose={onClose}>
      <TextField {...form.text('name', { label: t.name })} autoFocus />
    </FormDialog>
  )
}

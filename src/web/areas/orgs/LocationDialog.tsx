/** The form of a location: name, place in the tree, position. */

import { Box, TextField } from '@mui/material'

import type { LocationNode, Organization } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { NumberField } from '../../ui/fields.tsx'
import { PositionButton } from '../../ui/PositionButton.tsx'
import { PlacePicker } from '../../ui/tree/PlacePicker.tsx'
import { possibleParents } from '../../ui/tree/tree.ts'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    ...common.en,
    create: 'New location',
    edit: 'Edit location',
    parent: 'Inside',
    parentHelp: 'Leave it empty for the top level.',
    done: 'The location is saved.',
  },
  zh: {
    ...common.zh,
    create: '新建位置',
    edit: '编辑位置',
    parent: '上级位置',
    parentHelp: '留空表示顶级。',
    done: '位置已保存。',
  },
})

/** Levels of locations that the server allows. */
export const MAX_DEPTH = 8

export interface LocationDialogProps {
  org: Organization
  tree: readonly LocationNode[]
  parentId: number | null
  /** Undefined: a new one. */
  location?: LocationNode
  onClose: () => void
}

export function LocationDialog({ org, tree, parentId, location, onClose }: LocationDialogProps) {
  const t = useTexts(words)
  const form = useForm(
    location === undefined ? 'locations.create' : 'locations.update',
    {
      name: location?.name ?? '',
      description: location?.description ?? '',
      parentId,
      latitude: location?.latitude ?? null,
      longitude: location?.longitude ?? null,
    },
    {
      done: t.done,
      onDone: onClose,
      input: (body) => ({ params: { orgId: org.id, ...(location && { locationId: location.id }) }, body }),
    },
  )
  return (
    <FormDialog form={form} title={location === undefined ? t.create : t.edit} action={t.save} onClose={onClose}>
      <TextField {...form.text('name')} autoFocus />
      <TextField {...form.text('description')} multiline />
      <PlacePicker
        {...form.pick('parentId', { label: t.parent, help: t.parentHelp })}
        places={possibleParents(tree, location, MAX_DEPTH)}
      />
      <Box
        sx={{
          display: 'grid',
          gap: 1,
          gridTemplateColumns: { xs: '1fr 1fr', sm: '1fr 1fr auto' },
          alignItems: 'start',
        }}
      >
        <NumberField {...form.number('latitude')} />
        <NumberField {...form.number('longitude')} />
        <PositionButton
          sx={{ gridColumn: { xs: '1 / -1', sm: 'auto' } }}
          onPosition={({ latitude, longitude }) => form.set({ latitude, longitude })}
        />
      </Box>
    </FormDialog>
  )
}

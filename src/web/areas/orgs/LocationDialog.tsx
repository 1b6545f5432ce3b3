/** The form of a location: name, place in the tree, position. */

import { Box, TextField } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import type { LocationNode, Organization } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { PositionButton } from '../../ui/PositionButton.tsx'
import { PlacePicker } from '../../ui/tree/PlacePicker.tsx'
import { possibleParents } from '../../ui/tree/tree.ts'

const words = texts({
  en: {
    ...common.en,
    create: 'New location',
    edit: 'Edit location',
    parent: 'Inside',
    parentHelp: 'Leave it empty for the top level.',
    latitude: 'Latitude',
    longitude: 'Longitude',
    notNumber: 'Write a number, for example 52.5186.',
    done: 'The location is saved.',
  },
  zh: {
    ...common.zh,
    create: '新建位置',
    edit: '编辑位置',
    parent: '上级位置',
    parentHelp: '留空表示顶级。',
    latitude: '纬度',
    longitude: '经度',
    notNumber: '请输入数字，例如 31.2304。',
    done: '位置已保存。',
  },
})

/** Levels of locations that the server allows. */
export const MAX_DEPTH = 8

/** Null for an empty field. */
const numberIn = (text: string): number | null => (text.trim() === '' ? null : Number(text.replace(',', '.')))

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
  const [name, setName] = useState(location?.name ?? '')
  const [description, setDescription] = useState(location?.description ?? '')
  const [parent, setParent] = useState(parentId)
  const [latitude, setLatitude] = useState(location?.latitude?.toString() ?? '')
  const [longitude, setLongitude] = useState(location?.longitude?.toString() ?? '')
  const create = useAction('locations.create', { done: t.done, quiet: true, onDone: onClose })
  const update = useAction('locations.update', { done: t.done, quiet: true, onDone: onClose })
  const action = location === undefined ? create : update
  const problem = (field: string) => action.error?.problem(field)
  const [lat, long] = [numberIn(latitude), numberIn(longitude)]

  const submit = () => {
    if (Number.isNaN(lat) || Number.isNaN(long)) return
    const body = {
      name: name.trim(),
      description: description.trim(),
      parentId: parent,
      latitude: lat,
      longitude: long,
    }
    if (location === undefined) create.mutate({ params: { orgId: org.id }, body })
    else update.mutate({ params: { orgId: org.id, locationId: location.id }, body })
  }
  const coordinate = (
    label: string,
    field: string,
    text: string,
    value: number | null,
    set: (text: string) => void,
  ) => (
    <TextField
      label={label}
      value={text}
      onChange={({ target }) => set(target.value)}
      error={Number.isNaN(value) || problem(field) !== undefined}
      helperText={Number.isNaN(value) ? t.notNumber : problem(field)}
      slotProps={{ htmlInput: { inputMode: 'decimal' } }}
    />
  )
  return (
    <FormDialog
      isOpen
      title={location === undefined ? t.create : t.edit}
      action={t.save}
      isBusy={action.isPending}
      error={action.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        required
        autoFocus
        label={t.name}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={problem('name') !== undefined}
        helperText={problem('name')}
      />
      <TextField
        multiline
        label={t.description}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
        error={problem('description') !== undefined}
        helperText={problem('description')}
      />
      <PlacePicker
        label={t.parent}
        places={possibleParents(tree, location, MAX_DEPTH)}
        value={parent}
        onChange={setParent}
        error={problem('parentId')}
        help={t.parentHelp}
      />
      <Box
        sx={{
          display: 'grid',
          gap: 1,
          gridTemplateColumns: { xs: '1fr 1fr', sm: '1fr 1fr auto' },
          alignItems: 'start',
        }}
      >
        {coordinate(t.latitude, 'latitude', latitude, lat, setLatitude)}
        {coordinate(t.longitude, 'longitude', longitude, long, setLongitude)}
        <PositionButton
          sx={{ gridColumn: { xs: '1 / -1', sm: 'auto' } }}
          onPosition={(found) => {
            setLatitude(`${found.latitude}`)
            setLongitude(`${found.longitude}`)
          }}
        />
      </Box>
    </FormDialog>
  )
}

/** Chooses the target of a field of type REF: an asset, a member, a location or an activity. */

import { Autocomplete, TextField } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../../api/hooks.ts'
import { useOwner, useOwnerQuery } from '../../../session/session.ts'
import { useSettled } from '../../../ui/use-settled.ts'
import { useLocations, usePeople } from '../places.ts'
import type { FieldConfig, Reference } from './model.ts'

export interface ReferenceInputProps {
  label: string
  target: NonNullable<FieldConfig['target']>
  value: Reference | null
  onChange: (value: Reference | null) => void
  error?: string | undefined
  help?: string | undefined
  required?: boolean
}

export function ReferenceInput({ label, target, value, onChange, error, help, required }: ReferenceInputProps) {
  const [keyword, setKeyword] = useState('')
  const settled = useSettled(keyword)
  const options = useTargets(target, settled === value?.title ? '' : settled)
  return (
    <Autocomplete
      options={options}
      value={value}
      onChange={(_, chosen) => onChange(chosen)}
      onInputChange={(_, text) => setKeyword(text)}
      // Assets and activities are searched by the server, which also finds them by number.
      {...((target === 'ASSET' || target === 'ACTIVITY') && { filterOptions: (all: Reference[]) => all })}
      getOptionLabel={({ title, id }) => title ?? String(id)}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(a, b) => a.id === b.id}
      renderInput={(input) => (
        <TextField
          {...input}
          label={label}
          error={error !== undefined}
          helperText={error ?? help}
          required={required ?? false}
        />
      )}
    />
  )
}

function useTargets(target: NonNullable<FieldConfig['target']>, keyword: string): Reference[] {
  const owned = useOwnerQuery()
  const owner = useOwner()
  const query = { ...owned, size: 20, ...(keyword !== '' && { keyword }) }
  const assets = useCall('assets.list', { query }, { enabled: target === 'ASSET', keepPrevious: true })
  const activities = useCall(
    'activities.list',
    { query: owner === null ? query : { ...query, ownerType: 'ORGANIZATION', ownerId: owner.id } },
    { enabled: target === 'ACTIVITY', keepPrevious: true },
  )
  const locations = useLocations()
  const people = usePeople()
  switch (target) {
    case 'ASSET':
      return (assets.data?.items ?? []).map(({ id, name, assetNo }) => ({ id, title: `${name} (${assetNo})` }))
    case 'ACTIVITY':
      return (activities.data?.items ?? []).map(({ id, name }) => ({ id, title: name }))
    case 'LOCATION':
      return locations.map(({ id, path }) => ({ id, title: path }))
    default:
      return people.map(({ userId, nickname }) => ({ id: userId, title: nickname }))
  }
}

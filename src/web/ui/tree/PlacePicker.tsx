/** Inputs that choose nodes of a tree, or things of a list, all of which have the depth 0. */

import { Autocomplete, Box, TextField } from '@mui/material'

import type { Place } from './tree.ts'

export interface PlacePickerProps {
  places: readonly Pick<Place, 'id' | 'name' | 'depth' | 'path'>[]
  label: string
  value: number | null
  onChange: (id: number | null) => void
  error?: string | undefined
  help?: string | undefined
  /** A further entry in front, such as "Top level". Its value is 0. */
  none?: string
  required?: boolean
}

/** Chooses a node. The list shows the levels by indentation, and typing searches in the whole path. */
export function PlacePicker({ places, label, value, onChange, error, help, none, required }: PlacePickerProps) {
  const options = none === undefined ? places : [{ id: 0, name: none, depth: 0, path: none }, ...places]
  return (
    <Autocomplete
      options={options}
      value={options.find(({ id }) => id === value) ?? null}
      onChange={(_, place) => onChange(place?.id ?? null)}
      getOptionLabel={({ path }) => path}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(a, b) => a.id === b.id}
      renderOption={({ key, ...option }, { name, depth }) => (
        <Box component="li" key={key} {...option} sx={{ '&&': { pl: 2 + depth * 2 } }}>
          {name}
        </Box>
      )}
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

export interface PlacesPickerProps {
  places: readonly Pick<Place, 'id' | 'path'>[]
  label: string
  value: readonly number[]
  onChange: (ids: readonly number[]) => void
  error?: string | undefined
  help?: string | undefined
}

/** Chooses several nodes. */
export function PlacesPicker({ places, label, value, onChange, error, help }: PlacesPickerProps) {
  return (
    <Autocomplete
      multiple
      disableCloseOnSelect
      options={places}
      value={places.filter(({ id }) => value.includes(id))}
      onChange={(_, chosen) => onChange(chosen.map(({ id }) => id))}
      getOptionLabel={({ path }) => path}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(a, b) => a.id === b.id}
      renderInput={(input) => (
        <TextField {...input} label={label} error={error !== undefined} helperText={error ?? help} />
      )}
    />
  )
}

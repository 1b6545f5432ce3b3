/** Inputs that choose a category, a location or a person. */

import { Autocomplete, Box, TextField } from '@mui/material'

import { type Place, useCategories, useLocations, usePeople } from './places.ts'

interface PickerProps {
  label: string
  value: number | null
  onChange: (id: number | null) => void
  error?: string | undefined
  help?: string | undefined
  /** A further entry in front, for filters: "Without category". Its value is 0. */
  none?: string
  required?: boolean
  autoFocus?: boolean
}

/** Chooses a node of a tree. The list shows the levels by indentation, and typing searches in the whole path. */
export function PlacePicker({
  places,
  label,
  value,
  onChange,
  error,
  help,
  none,
  required,
}: PickerProps & { places: readonly Place[] }) {
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

export const CategoryPicker = (props: PickerProps) => <PlacePicker {...props} places={useCategories()} />
export const LocationPicker = (props: PickerProps) => <PlacePicker {...props} places={useLocations()} />

/** Chooses several nodes of a tree. */
export function PlacesPicker({
  places,
  label,
  value,
  onChange,
  help,
}: {
  places: readonly Pick<Place, 'id' | 'path'>[]
  label: string
  value: readonly number[]
  onChange: (ids: number[]) => void
  help?: string
}) {
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
      renderInput={(input) => <TextField {...input} label={label} helperText={help} />}
    />
  )
}

export function PersonPicker({ label, value, onChange, error, help, required }: PickerProps) {
  const people = usePeople()
  return (
    <Autocomplete
      options={people}
      value={people.find(({ userId }) => userId === value) ?? null}
      onChange={(_, person) => onChange(person?.userId ?? null)}
      getOptionLabel={({ nickname }) => nickname}
      getOptionKey={({ userId }) => userId}
      isOptionEqualToValue={(a, b) => a.userId === b.userId}
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

export function PeoplePicker({
  label,
  value,
  onChange,
  help,
}: {
  label: string
  value: readonly number[]
  onChange: (ids: number[]) => void
  help?: string
}) {
  const people = usePeople()
  return (
    <Autocomplete
      multiple
      disableCloseOnSelect
      options={people}
      value={people.filter(({ userId }) => value.includes(userId))}
      onChange={(_, chosen) => onChange(chosen.map(({ userId }) => userId))}
      getOptionLabel={({ nickname }) => nickname}
      getOptionKey={({ userId }) => userId}
      isOptionEqualToValue={(a, b) => a.userId === b.userId}
      renderInput={(input) => <TextField {...input} label={label} helperText={help} />}
    />
  )
}

/** Inputs that choose a category, a location or a person. */

import { Autocomplete, TextField } from '@mui/material'

import { PlacePicker, type PlacePickerProps, type PlacesPickerProps } from '../../ui/tree/PlacePicker.tsx'
import { useCategories, useLocations, usePeople } from './places.ts'

type PickerProps = Omit<PlacePickerProps, 'places'>

export const CategoryPicker = (props: PickerProps) => <PlacePicker {...props} places={useCategories()} />
export const LocationPicker = (props: PickerProps) => <PlacePicker {...props} places={useLocations()} />

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

export function PeoplePicker({ label, value, onChange, error, help }: Omit<PlacesPickerProps, 'places'>) {
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
      renderInput={(input) => (
        <TextField {...input} label={label} error={error !== undefined} helperText={error ?? help} />
      )}
    />
  )
}

/** Inputs that choose a category, a location or a person. */

import { NumberField, type NumberFieldProps } from '../../ui/fields.tsx'
import { PlacePicker, type PlacePickerProps, PlacesPicker, type PlacesPickerProps } from '../../ui/tree/PlacePicker.tsx'
import { useCategories, useLocations, usePeople } from './places.ts'

type PickerProps = Omit<PlacePickerProps, 'places'>

export const CategoryPicker = (props: PickerProps) => <PlacePicker {...props} places={useCategories()} />
export const LocationPicker = (props: PickerProps) => <PlacePicker {...props} places={useLocations()} />
export const PersonPicker = (props: PickerProps) => <PlacePicker {...props} places={usePersonOptions()} />

export const PeoplePicker = (props: Omit<PlacesPickerProps, 'places'>) => (
  <PlacesPicker {...props} places={usePersonOptions()} />
)

type SettingProps = Pick<NumberFieldProps, 'name' | 'label' | 'value' | 'onChange'>

/** A number outside of a form. */
export const NumberSetting = (props: SettingProps) => (
  <NumberField error={undefined} help={undefined} required={false} {...props} />
)

const usePersonOptions = () =>
  usePeople().map(({ userId, nickname }) => ({ id: userId, name: nickname, depth: 0, path: nickname }))

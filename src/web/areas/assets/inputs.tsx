/** Inputs that choose a category, a location or a person. */

import { PlacePicker, type PlacePickerProps, PlacesPicker, type PlacesPickerProps } from '../../ui/tree/PlacePicker.tsx'
import { useCategories, useLocations, usePeople } from './places.ts'

type PickerProps = Omit<PlacePickerProps, 'places'>

export const CategoryPicker = (props: PickerProps) => <PlacePicker {...props} places={useCategories()} />
export const LocationPicker = (props: PickerProps) => <PlacePicker {...props} places={useLocations()} />
export const PersonPicker = (props: PickerProps) => <PlacePicker {...props} places={usePersonOptions()} />

export const PeoplePicker = (props: Omit<PlacesPickerProps, 'places'>) => (
  <PlacesPicker {...props} places={usePersonOptions()} />
)

const usePersonOptions = () =>
  usePeople().map(({ userId, nickname }) => ({ id: userId, name: nickname, depth: 0, path: nickname }))

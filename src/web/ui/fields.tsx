/** Fields of forms for the properties that `useForm` returns. Texts and the values of enums go into a plain `<TextField>`. */

import {
  Checkbox,
  FormControl,
  FormControlLabel,
  FormHelperText,
  MenuItem,
  Switch,
  type SxProps,
  TextField,
  type TextFieldProps,
  type Theme,
  ToggleButton,
  ToggleButtonGroup,
} from '@mui/material'
import { type ReactNode, useState } from 'react'

import type { FieldProps } from './use-form.tsx'

const textOf = (value: number | null, unit: number): string =>
  value === null || Number.isNaN(value) ? '' : String(Number((value / unit).toFixed(unit === 1 ? 9 : 3)))
/** Null for an empty text, NaN for one that is not a number. Some keyboards have only a decimal comma. */
function numberIn(text: string, unit: number): number | null {
  if (text.trim() === '') return null
  const typed = Number(text.replace(',', '.'))
  return unit === 1 ? typed : Math.round(typed * unit)
}

export interface NumberFieldProps extends FieldProps<number | null>, Omit<TextFieldProps, keyof FieldProps<null>> {
  /** The value is a multiple of the typed number: bytes that are typed in MB. It is whole then. */
  unit?: number
}

/** A field for a number; its value is null if it is empty. An unfinished number such as `1.` stays as typed. */
export function NumberField({ value, onChange, error, help, unit = 1, ...props }: NumberFieldProps) {
  const [text, setText] = useState(textOf(value, unit))
  // It was set elsewhere, for example by the position of the device.
  if (!Object.is(numberIn(text, unit), value)) setText(textOf(value, unit))
  return (
    <TextField
      slotProps={{ htmlInput: { inputMode: 'decimal' } }}
      {...props}
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        onChange(numberIn(target.value, unit))
      }}
      error={error !== undefined}
      helperText={error ?? help}
    />
  )
}

export interface ToggleFieldProps<T extends string> {
  value: T
  onChange: (value: T) => void
  /** The words by their values. */
  choices: Readonly<Record<string, string>> & Readonly<Partial<Record<T, string>>>
}

/** A choice among few ways, on which the fields below it depend. */
export function ToggleField<T extends string>({ value, onChange, choices }: ToggleFieldProps<T>) {
  return (
    <ToggleButtonGroup
      exclusive
      fullWidth
      size="small"
      value={value}
      onChange={(_, next: T | null) => next !== null && onChange(next)}
    >
      {Object.entries(choices).map(([each, word]) => (
        <ToggleButton key={each} value={each}>
          {word}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}

/** A switch, or with `isBox` a checkbox, with its label and help. */
export function CheckField({
  name,
  label,
  value,
  onChange,
  error,
  help,
  isBox = false,
  disabled = false,
}: Pick<FieldProps<boolean>, 'name' | 'value' | 'onChange'> &
  Partial<Pick<FieldProps<boolean>, 'error' | 'help'>> & { label: ReactNode; isBox?: boolean; disabled?: boolean }) {
  const Control = isBox ? Checkbox : Switch
  return (
    <FormControl error={error !== undefined} disabled={disabled}>
      <FormControlLabel
        control={<Control name={name} checked={value} onChange={(_, checked) => onChange(checked)} />}
        label={label}
      />
      {(error ?? help) !== undefined && <FormHelperText>{error ?? help}</FormHelperText>}
    </FormControl>
  )
}

export interface ChoiceFieldProps<T> extends Pick<FieldProps<T>, 'label' | 'value' | 'onChange'> {
  choices: readonly { readonly id: string | number; readonly name: string }[]
  /** The entry for null. */
  none?: string | undefined
  name?: string
  error?: string | undefined
  help?: string | undefined
  required?: boolean
  disabled?: boolean
  sx?: SxProps<Theme>
}

/** A drop-down list of things by their ids. For the values of an enum there is `form.choice`. */
export function ChoiceField<T extends string | number | null>(props: ChoiceFieldProps<T>) {
  const { value, onChange, error, help, choices, none, ...rest } = props
  return (
    <TextField
      {...rest}
      select
      value={value ?? ''}
      onChange={({ target }) => onChange((target.value === '' ? null : target.value) as T)}
      error={error !== undefined}
      helperText={error ?? help}
      {...(none !== undefined && { slotProps: { inputLabel: { shrink: true }, select: { displayEmpty: true } } })}
    >
      {none !== undefined && <MenuItem value="">{none}</MenuItem>}
      {choices.map(({ id, name }) => (
        <MenuItem key={id} value={id} sx={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
          {name}
        </MenuItem>
      ))}
    </TextField>
  )
}

/** Fields of forms: what `useForm` returns for a number or a yes-or-no goes into these; texts and choices into a `<TextField>`. */

import {
  Checkbox,
  FormControl,
  FormControlLabel,
  FormHelperText,
  Switch,
  TextField,
  type TextFieldProps,
} from '@mui/material'
import { type ReactNode, useState } from 'react'

import type { FieldProps } from './use-form.tsx'

const textOf = (value: number | null): string => (value === null || Number.isNaN(value) ? '' : String(value))
/** Null for an empty text, NaN for one that is not a number. Some keyboards have only a decimal comma. */
const numberIn = (text: string): number | null => (text.trim() === '' ? null : Number(text.replace(',', '.')))

/** A number, or null if it is empty. It keeps what is typed, such as `1.`. */
export function NumberField({
  value,
  onChange,
  error,
  help,
  ...props
}: FieldProps<number | null> & Omit<TextFieldProps, keyof FieldProps<null>>) {
  const [text, setText] = useState(textOf(value))
  // It was set elsewhere, for example by the position of the device.
  if (!Object.is(numberIn(text), value)) setText(textOf(value))
  return (
    <TextField
      slotProps={{ htmlInput: { inputMode: 'decimal' } }}
      {...props}
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        onChange(numberIn(target.value))
      }}
      error={error !== undefined}
      helperText={error ?? help}
    />
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
}: Omit<FieldProps<boolean>, 'label'> & { label: ReactNode; isBox?: boolean; disabled?: boolean }) {
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

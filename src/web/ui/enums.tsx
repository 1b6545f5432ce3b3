/** Values of enums as a chip, or to choose from. */

import { Chip } from '@mui/material'
import { SelectInput, type SelectInputProps } from 'react-admin'

import { type EnumName, useChoices, useEnum } from '../i18n/enums.ts'
import { toneOf } from './Status.tsx'

const COLORS = { good: 'success', bad: 'error', warning: 'warning', running: 'info', neutral: 'default' } as const

export function EnumChip({ of, value }: { of: EnumName; value: string | null | undefined }) {
  const word = useEnum(of)
  if (value === null || value === undefined) return null
  return <Chip size="small" variant="outlined" label={word(value)} color={COLORS[toneOf(of, value)]} />
}

/** A filter or a field of a form. */
export function EnumInput({ of, ...props }: { of: EnumName } & Omit<SelectInputProps, 'choices'>) {
  return <SelectInput {...props} choices={useChoices(of)} />
}

/** Values of enums in the tables and filters of administrators: as a chip, as a word, or to choose from. */

import { Chip } from '@mui/material'
import { FunctionField, SelectInput, type SelectInputProps } from 'react-admin'

import { type EnumName, useChoices, useEnum } from '../i18n/enums.ts'

/** Colours of states. Values that are not here are neutral. */
const COLORS: Readonly<Record<string, 'success' | 'warning' | 'error' | 'info'>> = {
  ACTIVE: 'success',
  DISABLED: 'error',
  ISSUED: 'success',
  IN_USE: 'success',
  DONE: 'success',
  RUNNING: 'info',
  REPAIR: 'warning',
  EXPIRED: 'warning',
  LOST: 'error',
  CANCELLED: 'error',
  REVOKED: 'error',
}

export function EnumChip({ of, value }: { of: EnumName; value: string | null | undefined }) {
  const word = useEnum(of)
  if (value === null || value === undefined) return null
  return <Chip size="small" variant="outlined" label={word(value)} color={COLORS[value] ?? 'default'} />
}

/** The value of the row as a chip. `null` shows nothing. */
export const EnumField = ({ source, of }: { source: string; of: EnumName }) => (
  <FunctionField
    source={source}
    render={(record: Record<string, unknown>) => <EnumChip of={of} value={record[source] as string | null} />}
  />
)

/** A filter or a field of a form. */
export function EnumInput({ of, ...props }: { of: EnumName } & Omit<SelectInputProps, 'choices'>) {
  return <SelectInput {...props} choices={useChoices(of)} />
}

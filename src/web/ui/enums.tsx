/** Values of enums as a chip. */

import { Chip } from '@mui/material'

import { type EnumName, useEnum } from '../i18n/enums.ts'
import { toneOf } from './Status.tsx'

const COLORS = { good: 'success', bad: 'error', warning: 'warning', running: 'info', neutral: 'default' } as const

export function EnumChip({ of, value }: { of: EnumName; value: string | null | undefined }) {
  const word = useEnum(of)
  if (value === null || value === undefined) return null
  return <Chip size="small" variant="outlined" label={word(value)} color={COLORS[toneOf(of, value)]} />
}

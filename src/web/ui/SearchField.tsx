/** A search field that reports the text when the user pauses, so that the server is not called at each key. */

import { Search } from '@mui/icons-material'
import { InputAdornment, type SxProps, TextField, type Theme } from '@mui/material'
import type { ReactNode } from 'react'

import { useTyping } from './use-typing.ts'

export interface SearchFieldProps {
  label: string
  /** The text that is searched for now. If it changes by something else than typing, the field shows it. */
  value: string
  /** Gets the text without spaces at its ends. */
  onSearch: (text: string) => void
  /** The label is inside the field, where the text replaces it. */
  isCompact?: boolean
  helperText?: ReactNode
  autoFocus?: boolean
  sx?: SxProps<Theme>
}

export function SearchField({ label, value, onSearch, isCompact, helperText, autoFocus, sx }: SearchFieldProps) {
  const [typed, type] = useTyping(value, onSearch)
  return (
    <TextField
      type="search"
      {...(isCompact ? { hiddenLabel: true, placeholder: label } : { label })}
      value={typed}
      onChange={({ target }) => type(target.value)}
      {...(helperText !== undefined && { helperText })}
      {...(autoFocus !== undefined && { autoFocus })}
      {...(sx !== undefined && { sx })}
      slotProps={{
        htmlInput: { maxLength: 100, ...(isCompact && { 'aria-label': label }) },
        input: {
          startAdornment: (
            <InputAdornment position="start">
              <Search fontSize="small" />
            </InputAdornment>
          ),
        },
      }}
    />
  )
}

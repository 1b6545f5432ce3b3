/** A search field that reports the text when the user pauses, so that the server is not called at each key. */

import { Search } from '@mui/icons-material'
import { InputAdornment, type SxProps, TextField, type Theme } from '@mui/material'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'

/** Milliseconds after the last key. */
const PAUSE = 300

export interface SearchFieldProps {
  label: string
  /** The text that is searched for now. If it changes by something else than typing, the field shows it. */
  value: string
  /** Gets the text without spaces at its ends. */
  onSearch: (text: string) => void
  helperText?: ReactNode
  autoFocus?: boolean
  sx?: SxProps<Theme>
}

export function SearchField({ label, value, onSearch, helperText, autoFocus, sx }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const [seen, setSeen] = useState(value)
  const [reported, setReported] = useState(value)
  const report = useEffectEvent((text: string) => {
    setReported(text)
    onSearch(text)
  })
  useEffect(() => {
    const text = typed.trim()
    if (text === reported) return
    const timer = setTimeout(() => report(text), PAUSE)
    return () => clearTimeout(timer)
  }, [typed, reported])
  if (value !== seen) {
    setSeen(value)
    // Otherwise it is the text that was reported here, and the user may have gone on typing.
    if (value !== reported) {
      setTyped(value)
      setReported(value)
    }
  }
  return (
    <TextField
      type="search"
      label={label}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      {...(helperText !== undefined && { helperText })}
      {...(autoFocus !== undefined && { autoFocus })}
      {...(sx !== undefined && { sx })}
      slotProps={{
        htmlInput: { maxLength: 100 },
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

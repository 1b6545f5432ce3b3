/** A search field that reports the text when the user pauses. */

import { Search } from '@mui/icons-material'
import { InputAdornment, TextField } from '@mui/material'
import { useEffect, useState } from 'react'

import { useTexts } from '../../i18n/words.ts'
import { activityWords } from './words.ts'

/** Milliseconds after the last key. */
const PAUSE = 300

export function SearchField({ value, onSearch }: { value: string; onSearch: (keyword: string) => void }) {
  const t = useTexts(activityWords)
  const [typed, setTyped] = useState(value)
  useEffect(() => {
    if (typed.trim() === value) return
    const timer = setTimeout(() => onSearch(typed.trim()), PAUSE)
    return () => clearTimeout(timer)
  }, [typed, value, onSearch])
  return (
    <TextField
      type="search"
      label={t.search}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      sx={{ flex: 1, minWidth: 160 }}
      slotProps={{
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

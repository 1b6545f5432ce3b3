/** Offers all rows of a list when all rows that are shown are selected, and shows how far reading them is. */

import { Button } from '@mui/material'

import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { MOST_SELECTED, type Selection } from '../table/selection.ts'
import { ProgressBar } from './BulkState.tsx'

const words = texts({
  en: {
    all: (n: number) => `Select all ${number(n)}`,
    first: (n: number, all: number) => `Select the first ${number(n)} of ${number(all)}`,
  },
  zh: {
    all: (n: number) => `选择全部 ${number(n)} 个`,
    first: (n: number, all: number) => `选择前 ${number(n)} 个（共 ${number(all)} 个）`,
  },
})

export function AllRows({ selection }: { selection: Selection<unknown> }) {
  const t = useTexts(words)
  const { total, reading, selectAll, stop } = selection
  if (reading !== undefined) return <ProgressBar progress={reading} onStop={stop} />
  if (total === undefined) return null
  return (
    <Button size="small" onClick={selectAll}>
      {total > MOST_SELECTED ? t.first(MOST_SELECTED, total) : t.all(total)}
    </Button>
  )
}

/** Finds a pass by the name of its holder, for visitors whose code cannot be read. */

import { Button, CardActionArea, Dialog, DialogActions, DialogContent, DialogTitle } from '@mui/material'
import { useState } from 'react'

import { usePages } from '../../../api/pages.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { EnumChip } from '../../../ui/enums.tsx'
import { Row, Rows } from '../../../ui/Rows.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { activityWords } from '../words.ts'

const words = texts({
  en: { title: 'Find a pass by name', passes: 'Passes' },
  zh: { title: '按姓名查找通行证', passes: '通行证' },
})

export interface FindPassProps {
  activityId: number
  onFound: (uuid: string) => void
  onClose: () => void
}

export function FindPass({ activityId, onFound, onClose }: FindPassProps) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const [keyword, setKeyword] = useState('')
  const query = usePages(
    'passes.list',
    { params: { id: activityId }, query: { ...(keyword && { keyword }) } },
    { size: 10 },
  )
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby="find-title">
      <DialogTitle id="find-title">{t.title}</DialogTitle>
      <DialogContent sx={{ '& > :first-of-type': { mt: 1, width: '100%' } }}>
        <SearchField label={shared.search} sx={{ flex: 1, minWidth: 160 }} value={keyword} onSearch={setKeyword} />
        <Rows query={query} label={t.passes} keyOf={({ id }) => id} empty={shared.notFound}>
          {({ uuid, holderName, status }) => (
            <CardActionArea onClick={() => onFound(uuid)} sx={{ py: 1, font: 'inherit' }}>
              <Row title={holderName} actions={<EnumChip of="passStatus" value={status} />} />
            </CardActionArea>
          )}
        </Rows>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{shared.close}</Button>
      </DialogActions>
    </Dialog>
  )
}

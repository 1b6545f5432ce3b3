/** Finds a pass by the name of its holder, for visitors whose code cannot be read. */

import { Button, CardActionArea, Dialog, DialogActions, DialogContent, DialogTitle } from '@mui/material'
import { useState } from 'react'

import { usePages } from '../../../api/pages.ts'
import type { GateDirection } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ConfirmDialog } from '../../../ui/dialogs.tsx'
import { EnumChip } from '../../../ui/enums.tsx'
import { Row, Rows } from '../../../ui/Rows.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { activityWords } from '../words.ts'

const words = texts({
  en: {
    title: 'Find a pass by name',
    passes: 'Passes',
    letIn: (name: string) => `Let ${name} in?`,
    letOut: (name: string) => `Record that ${name} leaves?`,
    text: 'The pass is used as if its code had been scanned.',
    action: { ENTRY: 'Let in', EXIT: 'Record' },
  },
  zh: {
    title: '按姓名查找通行证',
    passes: '通行证',
    letIn: (name: string) => `放行 ${name}？`,
    letOut: (name: string) => `登记 ${name} 离场？`,
    text: '等同于扫描此通行证。',
    action: { ENTRY: '放行', EXIT: '登记' },
  },
})

export interface FindPassProps {
  activityId: number
  direction: GateDirection
  onFound: (uuid: string) => void
  onClose: () => void
}

export function FindPass({ activityId, direction, onFound, onClose }: FindPassProps) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const [keyword, setKeyword] = useState('')
  const [chosen, setChosen] = useState<{ uuid: string; holderName: string }>()
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
            <CardActionArea onClick={() => setChosen({ uuid, holderName })} sx={{ py: 1, font: 'inherit' }}>
              <Row title={holderName} actions={<EnumChip of="passStatus" value={status} />} />
            </CardActionArea>
          )}
        </Rows>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{shared.close}</Button>
      </DialogActions>
      {/* A tap on the wrong name would lock somebody out whose pass is good for one entry. */}
      <ConfirmDialog
        isOpen={chosen !== undefined}
        title={chosen ? (direction === 'ENTRY' ? t.letIn : t.letOut)(chosen.holderName) : ''}
        text={t.text}
        action={t.action[direction]}
        color="primary"
        onConfirm={() => chosen && onFound(chosen.uuid)}
        onClose={() => setChosen(undefined)}
      />
    </Dialog>
  )
}

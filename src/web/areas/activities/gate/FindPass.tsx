/** Finds a pass by the name of its holder, for visitors whose code cannot be read. */

import { Button, CardActionArea, Dialog, DialogActions, DialogContent, DialogTitle } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import type { ApiError } from '../../../api/errors.ts'
import { type Paged, usePages } from '../../../api/pages.ts'
import type { GateDirection, GatePass } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ConfirmDialog } from '../../../ui/dialogs.tsx'
import { EnumChip } from '../../../ui/enums.tsx'
import { Row, Rows } from '../../../ui/Rows.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { activityWords } from '../words.ts'
import { findAtGate } from './gate-server.ts'
import type { KeptGate } from './gate-sessions.ts'

const words = texts({
  en: {
    title: 'Find a pass by name',
    passes: 'Passes',
    letIn: (name: string) => `Let ${name} in?`,
    letOut: (name: string) => `Record that ${name} leaves?`,
    text: 'The pass is used as if its code had been scanned.',
    action: { ENTRY: 'Let in', EXIT: 'Record' },
    least: (n: number) => `Type at least ${n} letters of the name.`,
  },
  zh: {
    title: '按姓名查找通行证',
    passes: '通行证',
    letIn: (name: string) => `放行 ${name}？`,
    letOut: (name: string) => `登记 ${name} 离场？`,
    text: '等同于扫描此通行证。',
    action: { ENTRY: '放行', EXIT: '登记' },
    least: (n: number) => `请输入姓名中至少 ${n} 个字。`,
  },
})

interface FindProps {
  direction: GateDirection
  onFound: (uuid: string) => void
  onClose: () => void
}

export function FindPass({ activityId, ...props }: FindProps & { activityId: number }) {
  const [keyword, setKeyword] = useState('')
  const query = usePages(
    'passes.list',
    { params: { id: activityId }, query: { ...(keyword && { keyword }) } },
    { size: 10 },
  )
  return <FindDialog {...props} query={query} keyword={keyword} onSearch={setKeyword} />
}

/** Fewer characters would show too many people. */
const LEAST = 2

/** At a gate without an account, which sees passes of a name only after it was typed. */
export function FindAtGate({ gate, ...props }: FindProps & { gate: KeptGate }) {
  const t = useTexts(words)
  const [keyword, setKeyword] = useState('')
  const isLong = keyword.trim().length >= LEAST
  const { data, error, isFetching, refetch } = useQuery<readonly GatePass[], ApiError>({
    queryKey: ['gate', gate.gate.id, 'passes', keyword],
    queryFn: ({ signal }) => findAtGate(gate, keyword.trim(), signal),
    enabled: isLong,
    // The server counts each search.
    retry: false,
    gcTime: 0,
  })
  const items = isLong ? data : []
  const query: Paged<GatePass> = {
    items,
    total: items?.length ?? 0,
    error: isLong ? error : null,
    isLoading: isFetching,
    more: () => undefined,
    retry: () => void refetch(),
  }
  const hint = isLong ? undefined : t.least(LEAST)
  return <FindDialog {...props} query={query} keyword={keyword} onSearch={setKeyword} hint={hint} />
}

interface FindDialogProps extends FindProps {
  query: Paged<GatePass>
  keyword: string
  onSearch: (keyword: string) => void
  /** Shown instead of "Nothing found". */
  hint?: string | undefined
}

function FindDialog({ direction, onFound, onClose, query, keyword, onSearch, hint }: FindDialogProps) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const [chosen, setChosen] = useState<{ uuid: string; holderName: string }>()
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby="find-title">
      <DialogTitle id="find-title">{t.title}</DialogTitle>
      <DialogContent sx={{ '& > :first-of-type': { mt: 1, width: '100%' } }}>
        <SearchField label={shared.search} sx={{ flex: 1, minWidth: 160 }} value={keyword} onSearch={onSearch} />
        <Rows query={query} label={t.passes} keyOf={({ id }) => id} empty={hint ?? shared.notFound}>
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

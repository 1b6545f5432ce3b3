/** The columns of the list of participants. On phones they are the lines of a card. */

import { Box } from '@mui/material'

import type { Activity, ListedRegistration } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { EnumStatus, Status } from '../../../ui/Status.tsx'
import type { Labelled } from '../../../ui/table/columns.tsx'
import { participantWords, statusText, TONES } from './words.ts'

const words = texts({
  en: {
    name: 'Name',
    status: 'Status',
    source: 'Source',
    email: 'E-mail',
    createdAt: 'Registered',
    pass: 'Pass',
    checkedInAt: 'Checked in',
  },
  zh: {
    name: '姓名',
    status: '状态',
    source: '来源',
    email: '邮箱',
    createdAt: '报名时间',
    pass: '通行证',
    checkedInAt: '签到',
  },
})

/** A registration with its answers side by side. */
export type Row = ListedRegistration & { readonly [answer: `answers.${string}`]: string | undefined }

export const rowOf = (row: ListedRegistration): Row => ({
  ...row,
  ...Object.fromEntries(Object.entries(row.answers).map(([key, answer]) => [`answers.${key}`, answer])),
})

/** Further answers are in the sheet of the person. */
const MOST_ANSWERS = 3

export function useColumns({ registration }: Activity): readonly Labelled<Row>[] {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  return [
    { source: 'nickname', label: t.name, sortable: 'name' },
    {
      source: 'status',
      label: t.status,
      sortable: true,
      render: (row) => <Status tone={TONES[row.status]} text={statusText(row, shared)} />,
    },
    { source: 'email', label: t.email },
    ...(registration?.questions ?? []).slice(0, MOST_ANSWERS).map(({ key, label }): Labelled<Row> => {
      const source = `answers.${key}` as const
      // Cards have little room, and the sheet of the person has all answers.
      return { source, label, phone: 'hidden', render: (row) => row[source] && <Short text={row[source]} /> }
    }),
    {
      source: 'source',
      label: t.source,
      render: ({ source }) => source !== 'ACCOUNT' && shared.sources[source],
    },
    {
      source: 'pass',
      label: t.pass,
      render: ({ pass }) => pass && <EnumStatus of="passStatus" value={pass.status} />,
    },
    { source: 'checkedInAt', label: t.checkedInAt, kind: 'time' },
    { source: 'createdAt', label: t.createdAt, sortable: true, kind: 'time' },
  ]
}

/** The first lines of an answer, which may have 500 characters. */
const Short = ({ text }: { text: string }) => (
  <Box
    component="span"
    sx={{
      display: '-webkit-box',
      WebkitBoxOrient: 'vertical',
      WebkitLineClamp: 2,
      overflow: 'hidden',
      overflowWrap: 'anywhere',
      maxWidth: 280,
    }}
  >
    {text}
  </Box>
)

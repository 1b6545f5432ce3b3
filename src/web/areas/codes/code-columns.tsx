/** The columns of the table of codes. */

import { Typography } from '@mui/material'

import type { QrCode } from '../../api/types.ts'
import { list } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import type { ListColumn } from '../../ui/table/ListView.tsx'
import { summaryOf } from './content.ts'
import type { Folder } from './folders.ts'
import { codeWords } from './words.ts'

const words = texts({
  en: { content: 'Content', access: 'Access' },
  zh: { content: '内容', access: '访问' },
})

export function useCodeColumns(folders: readonly Folder[]): readonly ListColumn<QrCode>[] {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const folderOf = (code: QrCode) => folders.find(({ node }) => node.id === code.categoryId)?.path ?? ''
  const accessOf = ({ isPublic, isDynamic }: QrCode) =>
    list([isPublic ? shared.public : shared.private, ...(isDynamic ? [shared.dynamic] : [])])
  return [
    { source: 'name', sortable: true },
    {
      source: 'content',
      label: t.content,
      render: ({ content }) => (
        <Typography variant="inherit" noWrap sx={{ maxWidth: 320 }}>
          {summaryOf(content)}
        </Typography>
      ),
    },
    { source: 'contentType', kind: 'enum', of: 'contentType' },
    ...(folders.length === 0 ? [] : [{ source: 'categoryId', label: shared.folder, render: folderOf } as const]),
    { source: 'isPublic', label: t.access, render: accessOf },
    { source: 'scanCount', kind: 'count', sortable: true },
    { source: 'tags', render: ({ tags }) => list(tags) },
    { source: 'createdAt', kind: 'time', sortable: true },
    { source: 'updatedAt', kind: 'time', sortable: true, isOptional: true },
  ]
}

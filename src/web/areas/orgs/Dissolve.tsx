/** The button that dissolves an organization, for its owner and for administrators. */

import { DeleteForever } from '@mui/icons-material'
import { Button, Typography } from '@mui/material'
import { useState } from 'react'

import type { ApiError } from '../../api/errors.ts'
import { number } from '../../i18n/format.ts'
import { resourceWords } from '../../i18n/resource-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ConfirmDialog, NoticeDialog } from '../../ui/dialogs.tsx'

const words = texts({
  en: {
    dissolve: 'Dissolve',
    title: (name: string) => `Dissolve “${name}”?`,
    text: 'The organization is deleted and all members are notified. This cannot be undone.',
    others: (n: number) => (n === 1 ? 'One other member loses access.' : `${n} other members lose access.`),
    obstacles: 'The organization still owns things. Delete or move them first:',
    thing: (name: string, n: number) => `${name}: ${number(n)}`,
  },
  zh: {
    dissolve: '解散组织',
    title: (name: string) => `解散“${name}”？`,
    text: '组织将被删除，所有成员会收到通知。此操作无法撤销。',
    others: (n: number) => `还有 ${n} 名其他成员，他们会失去访问权限。`,
    obstacles: '组织仍拥有以下内容，须先删除或移走才能解散：',
    thing: (name: string, n: number) => `${name}：${number(n)}`,
  },
})

export interface DissolveProps {
  org: { readonly name: string; readonly memberCount: number }
  /** The things of the organization; undefined while they are being read. */
  resources: readonly { readonly name: string; readonly count: number }[] | undefined
  action: { readonly error: ApiError | null; readonly isPending: boolean; readonly reset: () => void }
  onOpen?: () => void
  onConfirm: () => void
}

/** First says which things stand in the way: the server refuses while the organization owns anything. */
export function Dissolve({ org, resources, action, onOpen, onConfirm }: DissolveProps) {
  const t = useTexts(words)
  const nouns = useTexts(resourceWords)
  const [isOpen, setOpen] = useState(false)
  const owned = resources?.filter(({ count }) => count > 0) ?? []
  const others = org.memberCount - 1
  const dialog = { title: t.title(org.name), onClose: () => setOpen(false) }
  return (
    <>
      <Button
        color="error"
        variant="outlined"
        startIcon={<DeleteForever />}
        loading={isOpen && resources === undefined}
        onClick={() => {
          action.reset()
          setOpen(true)
          onOpen?.()
        }}
      >
        {t.dissolve}
      </Button>
      {owned.length > 0 ? (
        <NoticeDialog isOpen={isOpen} {...dialog}>
          <Typography>{t.obstacles}</Typography>
          <ul>
            {owned.map(({ name, count }) => (
              <li key={name}>{t.thing(nouns[name] ?? name, count)}</li>
            ))}
          </ul>
        </NoticeDialog>
      ) : (
        <ConfirmDialog
          isOpen={isOpen && resources !== undefined}
          {...dialog}
          text={
            <>
              {t.text} {others > 0 && t.others(others)}
            </>
          }
          action={t.dissolve}
          typed={org.name}
          isBusy={action.isPending}
          error={action.error}
          onConfirm={onConfirm}
        />
      )}
    </>
  )
}

/** Gives an organization a copy of a code. */

import { MenuItem, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import type { Organization, QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'

const words = texts({
  en: {
    title: 'Share a copy with an organization',
    text: 'The organization gets a copy of its own: it is private, and later changes to your code do not change it.',
    org: 'Organization',
    action: 'Give copy',
    done: 'The organization has a copy now.',
  },
  zh: {
    title: '复制给组织',
    text: '组织将得到独立的副本：默认私有，之后修改你的二维码不会影响它。',
    org: '组织',
    action: '复制',
    done: '组织已得到副本。',
  },
})

export interface ShareDialogProps {
  code: QrCode
  organizations: readonly Organization[]
  onClose: () => void
}

export function ShareDialog({ code, organizations, onClose }: ShareDialogProps) {
  const t = useTexts(words)
  const [orgId, setOrgId] = useState(organizations[0]!.id)
  const share = useAction('shares.create', { done: t.done, quiet: true, onDone: onClose })
  return (
    <FormDialog
      isOpen
      title={t.title}
      action={t.action}
      isBusy={share.isPending}
      error={share.error}
      onSubmit={() => share.mutate({ params: { orgId }, body: { entityType: 'QR_CODE', sourceId: code.id } })}
      onClose={onClose}
      maxWidth="xs"
    >
      <Typography>{t.text}</Typography>
      <TextField select label={t.org} value={orgId} onChange={(event) => setOrgId(Number(event.target.value))}>
        {organizations.map(({ id, name }) => (
          <MenuItem key={id} value={id}>
            {name}
          </MenuItem>
        ))}
      </TextField>
    </FormDialog>
  )
}

/** Gives an organization a copy of a code. */

import { Typography } from '@mui/material'

import type { Organization, QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'Share a copy with an organization',
    text: 'The organization gets a copy of its own: it is private, and later changes to your code do not change it.',
    action: 'Give copy',
    done: 'The organization has a copy now.',
  },
  zh: {
    title: '复制给组织',
    text: '组织将得到独立的副本：默认私有，之后修改你的二维码不会影响它。',
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
  const form = useForm(
    'shares.create',
    { orgId: organizations[0]!.id },
    {
      done: t.done,
      onDone: onClose,
      input: ({ orgId }) => ({ params: { orgId }, body: { entityType: 'QR_CODE' as const, sourceId: code.id } }),
    },
  )
  return (
    <FormDialog form={form} title={t.title} action={t.action} onClose={onClose} maxWidth="xs">
      <Typography>{t.text}</Typography>
      <ChoiceField {...form.pick('orgId')} choices={organizations} />
    </FormDialog>
  )
}

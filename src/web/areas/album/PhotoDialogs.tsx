/** Changing time and place of a photo, and sharing a copy with an organization. */

import { TextField, Typography } from '@mui/material'

import { call } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import type { AlbumPhoto, Organization } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    ...common.en,
    editTitle: 'Time and place',
    place: 'Place',
    conflict: 'Somebody else has changed the photo meanwhile. Look at it and try again.',
    shareTitle: 'Share with an organization',
    shareText: 'The organization gets a copy that its members see. You can delete your photo later; the copy stays.',
    share: 'Share',
    shared: 'The organization has a copy.',
  },
  zh: {
    ...common.zh,
    editTitle: '时间和地点',
    place: '地点',
    conflict: '其他人刚刚修改了这张照片，请查看后重试。',
    shareTitle: '共享给组织',
    shareText: '组织将得到一份成员可见的副本。之后删除你的照片，副本仍会保留。',
    share: '共享',
    shared: '已共享给组织。',
  },
})

/** Photos are changed by the operation of devices that synchronize; there is no other. */
export function EditPhoto({ photo, onClose }: { photo: AlbumPhoto; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'sync.push',
    { takenAt: photo.takenAt, address: photo.address ?? '' },
    {
      input: ({ takenAt, address }) => ({
        body: {
          records: [
            {
              entity: 'albumPhoto' as const,
              localId: `photo-${photo.id}`,
              serverId: photo.id,
              baseVersion: photo.version,
              updatedAt: Date.now(),
              data: { takenAt, address: address.trim() || null },
            },
          ],
        },
      }),
      async send(input) {
        const answer = await call('sync.push', input)
        const { status, code = 400, message = '', details = [] } = answer.results[0]!
        if (status !== 'REJECTED') return answer
        const problems = details.map((each) => ({ ...each, path: each.path.replace(/^data\./, 'body.') }))
        throw new ApiError(400, code, message, problems)
      },
      refreshes: ['album'],
      onDone({ results: [result] }) {
        if (result?.status === 'APPLIED') notify(t.saved, 'success')
        else notify(t.conflict, 'warning')
        onClose()
      },
    },
  )
  return (
    <FormDialog form={form} title={t.editTitle} action={t.save} onClose={onClose} maxWidth="xs">
      <TextField {...form.time('takenAt')} />
      <TextField {...form.text('address', { label: t.place })} />
    </FormDialog>
  )
}

export interface SharePhotoProps {
  photo: AlbumPhoto
  organizations: readonly Organization[]
  onClose: () => void
}

export function SharePhoto({ photo, organizations, onClose }: SharePhotoProps) {
  const t = useTexts(words)
  const form = useForm(
    'shares.create',
    { orgId: organizations[0]!.id },
    {
      input: ({ orgId }) => ({ params: { orgId }, body: { entityType: 'ALBUM_PHOTO' as const, sourceId: photo.id } }),
      done: t.shared,
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.shareTitle} action={t.share} onClose={onClose} maxWidth="xs">
      <Typography>{t.shareText}</Typography>
      <ChoiceField {...form.pick('orgId')} choices={organizations} />
    </FormDialog>
  )
}

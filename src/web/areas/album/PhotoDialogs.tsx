/** Changing time and place of a photo, and sharing a copy with an organization. */

import { MenuItem, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import type { AlbumPhoto, Organization } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { common } from '../../i18n/common.ts'
import { inputTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'

const words = texts({
  en: {
    ...common.en,
    editTitle: 'Time and place',
    taken: 'Taken',
    place: 'Place',
    conflict: 'Somebody else has changed the photo meanwhile. Look at it and try again.',
    shareTitle: 'Share with an organization',
    shareText: 'The organization gets a copy that its members see. You can delete your photo later; the copy stays.',
    org: 'Organization',
    share: 'Share',
    shared: 'The organization has a copy.',
  },
  zh: {
    ...common.zh,
    editTitle: '时间和地点',
    taken: '拍摄时间',
    place: '地点',
    conflict: '其他人刚刚修改了这张照片，请查看后重试。',
    shareTitle: '共享给组织',
    shareText: '组织将得到一份成员可见的副本。之后删除你的照片，副本仍会保留。',
    org: '组织',
    share: '共享',
    shared: '已共享给组织。',
  },
})

/** Photos are changed by the operation of devices that synchronize; there is no other. */
export function EditPhoto({ photo, onClose }: { photo: AlbumPhoto; onClose: () => void }) {
  const t = useTexts(words)
  const [taken, setTaken] = useState(() => inputTime(photo.takenAt))
  const [address, setAddress] = useState(photo.address ?? '')
  const push = useAction('sync.push', {
    quiet: true,
    refreshes: ['album'],
    onDone: ({ results: [result] }) => {
      if (result?.status === 'APPLIED') notify(t.saved, 'success')
      else notify(t.conflict, 'warning')
      onClose()
    },
  })
  const submit = () =>
    push.mutate({
      body: {
        records: [
          {
            entity: 'albumPhoto',
            localId: `photo-${photo.id}`,
            serverId: photo.id,
            baseVersion: photo.version,
            updatedAt: Date.now(),
            data: { takenAt: taken === '' ? null : new Date(taken).getTime(), address: address.trim() || null },
          },
        ],
      },
    })
  return (
    <FormDialog
      isOpen
      title={t.editTitle}
      action={t.save}
      isBusy={push.isPending}
      error={push.error}
      onSubmit={submit}
      onClose={onClose}
      maxWidth="xs"
    >
      <TextField
        label={t.taken}
        type="datetime-local"
        value={taken}
        onChange={({ target }) => setTaken(target.value)}
        slotProps={{ inputLabel: { shrink: true } }}
      />
      <TextField
        label={t.place}
        value={address}
        onChange={({ target }) => setAddress(target.value)}
        slotProps={{ htmlInput: { maxLength: 200 } }}
      />
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
  const [orgId, setOrgId] = useState(organizations[0]!.id)
  const share = useAction('shares.create', { done: t.shared, quiet: true, onDone: onClose })
  return (
    <FormDialog
      isOpen
      title={t.shareTitle}
      action={t.share}
      isBusy={share.isPending}
      error={share.error}
      onSubmit={() => share.mutate({ params: { orgId }, body: { entityType: 'ALBUM_PHOTO', sourceId: photo.id } })}
      onClose={onClose}
      maxWidth="xs"
    >
      <Typography>{t.shareText}</Typography>
      <TextField select label={t.org} value={orgId} onChange={({ target }) => setOrgId(Number(target.value))}>
        {organizations.map(({ id, name }) => (
          <MenuItem key={id} value={id}>
            {name}
          </MenuItem>
        ))}
      </TextField>
    </FormDialog>
  )
}

/** Copies of codes and photos that members have given to the organization. */

import { Add, FolderShared, PhotoOutlined, QrCode2 } from '@mui/icons-material'
import { Autocomplete, Avatar, Button, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { Organization, Share, ShareEntityType } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { useChoices, useEnum } from '../../i18n/enums.ts'
import { date, dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { EmptyState } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { Section } from '../../ui/parts.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useSettled } from '../../ui/use-settled.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Shared copies',
    about:
      'Copies of members’ own codes and photos. They belong to the organization and do not change with the original.',
    share: 'Share a copy',
    kind: 'Kind',
    empty: 'Nothing shared yet',
    emptyText: 'Share a copy of one of your own codes or photos, so that all members can use it.',
    emptyOf: 'No copy of this kind.',
    by: (kind: string, name: string, day: string) => `${kind} · ${name}, ${day}`,
    openOf: (name: string) => `Open ${name}`,
    deleteOf: (name: string) => `Delete ${name}`,
    deleteTitle: (name: string) => `Delete the copy “${name}”?`,
    deleteText:
      'The copy of the organization is deleted permanently, and printed codes of it stop working. The original stays.',
    deleted: 'The copy is deleted.',
    dialog: (name: string) => `Share with ${name}`,
    code: 'My code',
    photo: 'My photo',
    none: 'Nothing found. Only your own things can be shared, not those of an organization.',
    loading: 'Searching…',
    shared: 'The organization has a copy now.',
    photoOf: (time: string) => `Photo of ${time}`,
  },
  zh: {
    ...common.zh,
    title: '共享副本',
    about: '成员自己的二维码和照片的副本。副本属于组织，不随原件变化。',
    share: '共享副本',
    kind: '类型',
    empty: '还没有共享内容',
    emptyText: '把你自己的二维码或照片共享为副本，所有成员都可以使用。',
    emptyOf: '没有此类型的副本。',
    by: (kind: string, name: string, day: string) => `${kind} · ${name}，${day}`,
    openOf: (name: string) => `打开${name}`,
    deleteOf: (name: string) => `删除${name}`,
    deleteTitle: (name: string) => `删除副本“${name}”？`,
    deleteText: '组织的副本将被永久删除，已打印的二维码也会失效。原件不受影响。',
    deleted: '副本已删除。',
    dialog: (name: string) => `共享给${name}`,
    code: '我的二维码',
    photo: '我的照片',
    none: '没有找到。只能共享你个人的内容，不能共享组织的内容。',
    loading: '正在搜索…',
    shared: '组织已得到副本。',
    photoOf: (time: string) => `${time}的照片`,
  },
})

export function Shares({ org }: { org: Organization }) {
  const t = useTexts(words)
  const may = useMay()
  const kinds = useChoices('shareType')
  const [kind, setKind] = useState<ShareEntityType | null>(null)
  const [isSharing, setSharing] = useState(false)
  const query = usePages('shares.list', {
    params: { orgId: org.id },
    ...(kind !== null && { query: { entityType: kind } }),
  })
  const share = may('shares.create', org) && (
    <Button variant="contained" startIcon={<Add />} onClick={() => setSharing(true)} data-create>
      {t.share}
    </Button>
  )
  const isEmpty = kind === null && query.items?.length === 0
  return (
    <Section title={t.title} actions={!isEmpty && share}>
      {!isEmpty && (
        <>
          <Typography variant="body2" color="text.secondary" sx={{ mb: 1.5 }}>
            {t.about}
          </Typography>
          <ChoiceField
            label={t.kind}
            value={kind}
            onChange={setKind}
            choices={kinds}
            none={t.all}
            sx={{ minWidth: 160, mb: 1 }}
          />
        </>
      )}
      <Rows
        query={query}
        label={t.title}
        keyOf={({ id }) => id}
        empty={
          kind === null ? (
            <EmptyState icon={FolderShared} title={t.empty} text={t.emptyText} action={share} />
          ) : (
            t.emptyOf
          )
        }
      >
        {(item) => <ShareRow org={org} share={item} />}
      </Rows>
      {isSharing && <ShareDialog org={org} onClose={() => setSharing(false)} />}
    </Section>
  )
}

function ShareRow({ org, share }: { org: Organization; share: Share }) {
  const t = useTexts(words)
  const kindOf = useEnum('shareType')
  const may = useMay()
  const { id, entityType, copyId, name, sharedBy, createdAt } = share
  const shown = name || kindOf(entityType)
  return (
    <Row
      title={shown}
      details={t.by(kindOf(entityType), sharedBy.nickname, date(createdAt))}
      actions={
        <>
          {may(entityType === 'QR_CODE' ? 'qrCodes.list' : 'album.list', org) && (
            <Button
              aria-label={t.openOf(shown)}
              component={Link}
              to={entityType === 'QR_CODE' ? `/codes/${copyId}` : `/album?photo=${copyId}`}
            >
              {t.open}
            </Button>
          )}
          <ActionButton
            operation="shares.delete"
            org={org}
            input={{ params: { orgId: org.id, shareId: id } }}
            label={t.delete}
            name={t.deleteOf(shown)}
            title={t.deleteTitle(shown)}
            text={t.deleteText}
            done={t.deleted}
            refreshes={['shares', 'orgs', 'qrCodes', 'album']}
          />
        </>
      }
    />
  )
}

interface Source {
  readonly id: number
  readonly name: string
  readonly picture: string | null
}

function ShareDialog({ org, onClose }: { org: Organization; onClose: () => void }) {
  const t = useTexts(words)
  const may = useMay()
  const form = useForm(
    'shares.create',
    { entityType: 'QR_CODE' as ShareEntityType, source: null as Source | null },
    {
      paths: { source: 'sourceId' },
      input: ({ entityType, source }) => ({
        params: { orgId: org.id },
        body: { entityType, sourceId: source?.id ?? 0 },
      }),
      done: t.shared,
      refreshes: ['shares', 'orgs', 'qrCodes', 'album'],
      onDone: onClose,
    },
  )
  const { entityType } = form.values
  const [typed, setTyped] = useState('')
  const keyword = useSettled(typed.trim())
  const query = { size: 30, ...(keyword !== '' && { keyword }) }
  const isCode = entityType === 'QR_CODE'
  const source = form.pick('source', { label: isCode ? t.code : t.photo })
  const codes = useCall('qrCodes.list', { query }, { enabled: isCode && may('qrCodes.list', null), keepPrevious: true })
  const photos = useCall('album.list', { query }, { enabled: !isCode && may('album.list', null), keepPrevious: true })
  const sources: Source[] = isCode
    ? (codes.data?.items ?? []).map(({ id, name }) => ({ id, name, picture: null }))
    : (photos.data?.items ?? []).map(({ id, name, takenAt, createdAt, thumbnailUrl }) => ({
        id,
        name: name || t.photoOf(dateTime(takenAt ?? createdAt)),
        picture: thumbnailUrl,
      }))
  return (
    <FormDialog form={form} title={t.dialog(org.name)} action={t.share} maxWidth="xs" onClose={onClose}>
      <Typography>{t.about}</Typography>
      <TextField
        {...form.choice('entityType', 'shareType', { label: t.kind })}
        onChange={({ target }) => form.set({ entityType: target.value as ShareEntityType, source: null })}
      />
      <Autocomplete
        key={entityType}
        options={sources}
        value={source.value}
        filterOptions={(all) => all}
        loading={codes.isFetching || photos.isFetching}
        loadingText={t.loading}
        noOptionsText={t.none}
        getOptionLabel={({ name }) => name}
        getOptionKey={({ id }) => id}
        isOptionEqualToValue={(a, b) => a.id === b.id}
        onChange={(_, choice) => source.onChange(choice)}
        onInputChange={(_, text, reason) => setTyped(reason === 'input' ? text : '')}
        renderOption={({ key, ...option }, { name, picture }) => (
          <li key={key} {...option}>
            <Avatar
              variant="rounded"
              alt=""
              {...(picture !== null && { src: picture })}
              sx={{ width: 36, height: 36, mr: 1.5, bgcolor: 'action.selected', color: 'text.primary' }}
            >
              {isCode ? <QrCode2 /> : <PhotoOutlined />}
            </Avatar>
            {name}
          </li>
        )}
        renderInput={(input) => (
          <TextField
            {...input}
            label={source.label}
            required={source.required}
            error={source.error !== undefined}
            helperText={source.error}
          />
        )}
      />
    </FormDialog>
  )
}

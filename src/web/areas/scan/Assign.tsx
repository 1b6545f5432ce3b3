/** Binds a free label to a thing that the user chooses or creates. */

import { Add, CalendarMonth, Inventory2, Place, QrCode2 } from '@mui/icons-material'
import {
  Button,
  Card,
  List,
  ListItemButton,
  ListItemIcon,
  ListItemText,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { BlankKind, LocationNode, QrBlank } from '../../api/types.ts'
import { things } from '../../i18n/things.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { chooseWorkspace, useMay, useOwner, useOwnerQuery, useSession } from '../../session/session.ts'
import { Loading } from '../../ui/Answer.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { flatten } from '../../ui/tree/tree.ts'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'What is this?',
    search: 'Search codes, assets, places and activities',
    found: 'Things that the label can stand for',
    none: 'Nothing found.',
    bound: 'The label is assigned.',
    newAsset: 'New asset',
    newCode: 'New code',
    create: 'Create',
  },
  zh: {
    title: '这是什么？',
    search: '搜索二维码、资产、位置和活动',
    found: '可绑定的内容',
    none: '没有找到。',
    bound: '标签已绑定。',
    newAsset: '新建资产',
    newCode: '新建二维码',
    create: '创建',
  },
})

/** Of each kind. */
const SHOWN = 8

interface Choice {
  readonly kind: BlankKind
  readonly id: number
  readonly title: string
  readonly detail: string
}

export function Assign({ blank }: { blank: QrBlank }) {
  const t = useTexts(words)
  const may = useMay()
  const [keyword, setKeyword] = useState('')
  const { choices, isLoading } = useChoices(keyword)
  const bind = useAction('qrBlanks.bind', { done: t.bound, refreshes: ['qrBlanks', 'qrCodes'] })
  const params = { slug: blank.slug }
  return (
    <Stack spacing={2}>
      <Typography variant="h2">{t.title}</Typography>
      <SearchField label={t.search} value={keyword} onSearch={setKeyword} />
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        {may('assets.create') && <NewAsset slug={blank.slug} />}
        {may('qrCodes.create') && (
          <DialogButton label={t.newCode} icon={<Add />} variant="outlined">
            {(close) => <NewCode slug={blank.slug} onClose={close} />}
          </DialogButton>
        )}
      </Stack>
      {isLoading && choices.length === 0 && <Loading />}
      {!isLoading && choices.length === 0 && <Typography color="text.secondary">{t.none}</Typography>}
      {choices.length > 0 && (
        <Card>
          <List disablePadding aria-label={t.found}>
            {choices.map((choice) => (
              <ChoiceRow
                key={`${choice.kind} ${choice.id}`}
                choice={choice}
                isDisabled={bind.isPending}
                onChoose={() => bind.mutate({ params, body: { kind: choice.kind, id: choice.id } })}
              />
            ))}
          </List>
        </Card>
      )}
    </Stack>
  )
}

const ICONS: Readonly<Record<BlankKind, ReactNode>> = {
  QR_CODE: <QrCode2 />,
  ASSET: <Inventory2 />,
  LOCATION: <Place />,
  ACTIVITY: <CalendarMonth />,
}
const NAMES = { QR_CODE: things.qrCode, ASSET: things.asset, LOCATION: things.location, ACTIVITY: things.activity }

function ChoiceRow({
  choice: { kind, title, detail },
  isDisabled,
  onChoose,
}: {
  choice: Choice
  isDisabled: boolean
  onChoose: () => void
}) {
  const locale = useLocale()
  const name = NAMES[kind].one[locale]
  return (
    <ListItemButton
      component="li"
      role={undefined}
      divider
      disabled={isDisabled}
      onClick={onChoose}
      sx={{ '&:last-child': { borderBottom: 0 } }}
    >
      <ListItemIcon>{ICONS[kind]}</ListItemIcon>
      <ListItemText
        primary={title}
        secondary={detail === '' ? name : `${name} · ${detail}`}
        sx={{ overflowWrap: 'anywhere' }}
      />
    </ListItemButton>
  )
}

/** Things of the owner of the label that contain the keyword, and that the user may change. */
function useChoices(keyword: string): { readonly choices: readonly Choice[]; readonly isLoading: boolean } {
  const may = useMay()
  const owner = useOwner()
  const owned = useOwnerQuery()
  const query = { ...owned, size: SHOWN, ...(keyword !== '' && { keyword }) }
  const kept = { keepPrevious: true }
  const codes = useCall('qrCodes.list', { query }, { ...kept, enabled: may('qrCodes.update') })
  const assets = useCall('assets.list', { query }, { ...kept, enabled: may('assets.list') && may('assets.update') })
  const activities = useCall('activities.list', { query }, { ...kept, enabled: may('activities.update') })
  const tree = useCall(
    'locations.tree',
    { params: { orgId: owner?.id ?? 0 } },
    { enabled: owner !== null && may('locations.tree') && may('locations.update') },
  )
  const choices = [
    ...(assets.data?.items ?? []).map(({ id, name, assetNo }): Choice => ({
      kind: 'ASSET',
      id,
      title: name,
      detail: assetNo,
    })),
    ...places(tree.data ?? [], keyword),
    ...(activities.data?.items ?? []).map(({ id, name }): Choice => ({
      kind: 'ACTIVITY',
      id,
      title: name,
      detail: '',
    })),
    ...(codes.data?.items ?? []).map(({ id, name }): Choice => ({ kind: 'QR_CODE', id, title: name, detail: '' })),
  ]
  return { choices, isLoading: [codes, assets, activities, tree].some(({ isLoading }) => isLoading) }
}

function places(tree: readonly LocationNode[], keyword: string): Choice[] {
  const found = flatten(tree).filter(({ path }) => path.toLowerCase().includes(keyword.toLowerCase()))
  return found
    .slice(0, SHOWN)
    .map(({ id, path, node }) => ({ kind: 'LOCATION', id, title: node.name, detail: path === node.name ? '' : path }))
}

/** Its form belongs to the workspace, so the owner of the label becomes the workspace. */
function NewAsset({ slug }: { slug: string }) {
  const t = useTexts(words)
  const owner = useOwner()
  const { orgs } = useSession()
  const navigate = useNavigate()
  return (
    <Button
      variant="contained"
      startIcon={<Add />}
      onClick={() => {
        chooseWorkspace(orgs.find(({ id }) => id === owner?.id) ?? null)
        void navigate(`/assets/new?label=${slug}`)
      }}
    >
      {t.newAsset}
    </Button>
  )
}

function NewCode({ slug, onClose }: { slug: string; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'qrBlanks.bind',
    { name: '', content: '' },
    {
      done: t.bound,
      refreshes: ['qrBlanks', 'qrCodes'],
      onDone: onClose,
      input: (create) => ({ params: { slug }, body: { kind: 'QR_CODE' as const, create } }),
    },
  )
  return (
    <FormDialog form={form} title={t.newCode} action={t.create} onClose={onClose} maxWidth="xs">
      <TextField {...form.text('name')} autoFocus />
      <TextField {...form.text('content')} />
    </FormDialog>
  )
}

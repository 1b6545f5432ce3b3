/** A scanned content: its type, its parts and the fitting action. */

import { Star, StarBorder } from '@mui/icons-material'
import { Alert, Button, Card, CardContent, IconButton, Stack, Tooltip, Typography } from '@mui/material'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'

import { ApiError } from '../../api/errors.ts'
import { useAction, useCall } from '../../api/hooks.ts'
import type { ResolvedScanRecord, ScanTarget } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useRowQuery } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { ContentView } from '../../ui/ContentView.tsx'
import { Owned } from '../../ui/Owned.tsx'
import { LabelState } from './LabelState.tsx'

const words = texts({
  en: {
    kinds: {
      QR_CODE: 'A code of this server',
      ACTIVITY: 'An activity',
      ASSET: 'An asset',
      SUPPLY: 'A supply',
      PASS: 'A pass',
      CHECK_IN: 'Check-in of an activity',
      ORG_JOIN: 'An organization',
      USER: 'A person’s card',
      LOCATION: 'A place',
      BLANK: 'A label that is not in use yet',
    },
    notYours: 'The code was deleted, or you may not see it. Ask the person who gave it to you.',
    show: {
      QR_CODE: 'Show code',
      ACTIVITY: 'Show activity',
      ASSET: 'Show asset',
      SUPPLY: 'Show supply',
      CHECK_IN: 'Go to check-in',
    },
    join: 'See and join',
    pass: 'Show pass',
    place: 'Show place',
    request: 'Add to contacts',
    requested: 'The request was sent. The person is in your contacts once it is accepted.',
    next: 'Scan next',
    unsaved: 'The scan is not in your history yet.',
    save: 'Save now',
    star: 'Mark as favourite',
    unstar: 'Remove the favourite mark',
  },
  zh: {
    kinds: {
      QR_CODE: '本服务器的二维码',
      ACTIVITY: '活动',
      ASSET: '资产',
      SUPPLY: '物料',
      PASS: '通行证',
      CHECK_IN: '活动签到',
      ORG_JOIN: '组织',
      USER: '个人名片',
      LOCATION: '位置',
      BLANK: '尚未使用的标签',
    },
    notYours: '它已不存在，或你无权查看。请联系提供二维码的人。',
    show: { QR_CODE: '查看二维码', ACTIVITY: '查看活动', ASSET: '查看资产', SUPPLY: '查看物料', CHECK_IN: '前往签到' },
    join: '查看并加入',
    pass: '查看通行证',
    place: '查看位置',
    request: '添加联系人',
    requested: '申请已发送，对方同意后会出现在联系人中。',
    next: '继续扫描',
    unsaved: '此次扫描尚未保存到记录。',
    save: '立即保存',
    star: '收藏',
    unstar: '取消收藏',
  },
})

/** Kinds that refer to a thing of this server. */
type Kind = Exclude<ScanTarget['kind'], 'URL' | 'TEXT'>
/** Those that have a page. */
type Shown = Exclude<Kind, 'BLANK'>

export function ScanResult({ record, onNext }: { record: ResolvedScanRecord; onNext?: () => void }) {
  const t = useTexts(words)
  const typeName = useEnum('contentType')
  const { resolved, content, contentType } = record
  const isThing = resolved.kind !== 'URL' && resolved.kind !== 'TEXT'
  return (
    <Card>
      <CardContent component={Stack} spacing={1.5}>
        <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
          <Typography color="text.secondary" variant="body2" sx={{ flex: 1 }}>
            {isThing ? t.kinds[resolved.kind as Kind] : typeName(contentType)}
          </Typography>
          <FavouriteButton record={record} />
        </Stack>
        {resolved.title !== undefined && (
          <Typography variant="h2" sx={{ overflowWrap: 'anywhere' }}>
            {resolved.title}
          </Typography>
        )}
        {resolved.slug !== undefined && <FreeLabel slug={resolved.slug} />}
        {isThing && resolved.kind !== 'BLANK' && (
          <Target target={resolved as ScanTarget & { kind: Shown }} content={content} />
        )}
        {(!isThing || resolved.kind === 'QR_CODE') && <ContentView content={content} />}
        {onNext !== undefined && (
          <Button variant="outlined" size="large" onClick={onNext}>
            {t.next}
          </Button>
        )}
      </CardContent>
    </Card>
  )
}

export interface UnsavedScanProps {
  content: string
  error: unknown
  onSave: () => Promise<void>
  onNext?: () => void
}

/** A content that was read, but not recorded: without a connection people still need the password of a network. */
export function UnsavedScan({ content, error, onSave, onNext }: UnsavedScanProps) {
  const t = useTexts(words)
  const save = useMutation({ mutationFn: onSave })
  return (
    <Card>
      <CardContent component={Stack} spacing={1.5}>
        <ContentView content={content} />
        <Alert
          severity="warning"
          action={
            <Button color="inherit" loading={save.isPending} onClick={() => save.mutate()}>
              {t.save}
            </Button>
          }
        >
          {t.unsaved} {error instanceof ApiError ? error.message : String(error)}
        </Alert>
        {onNext !== undefined && (
          <Button variant="outlined" size="large" onClick={onNext}>
            {t.next}
          </Button>
        )}
      </CardContent>
    </Card>
  )
}

/** Asks what a label is that stands for nothing yet. */
function FreeLabel({ slug }: { slug: string }) {
  const query = useCall('qrBlanks.get', { params: { slug } })
  return (
    <Answer query={query}>
      {(blank) => (
        <Owned orgId={blank.orgId}>
          <LabelState blank={blank} />
        </Owned>
      )}
    </Answer>
  )
}

/** The way to the thing that a content refers to. */
function Target({ target: { kind, id }, content }: { target: ScanTarget & { kind: Shown }; content: string }) {
  const t = useTexts(words)
  const may = useMay()
  const isCode = kind === 'QR_CODE'
  // A public code of somebody else has an id too, but no page here.
  const code = useCall(
    'qrCodes.get',
    { params: { id: id ?? 0 }, query: useRowQuery('qrCodes.get') },
    { enabled: isCode && id !== undefined && may('qrCodes.get') },
  )
  const request = useAction('contacts.request', { done: t.requested, refreshes: ['contacts'] })
  if (id === undefined)
    return <Typography>{kind === 'ORG_JOIN' ? <JoinButton content={content} /> : t.notYours}</Typography>
  const link = (to: string, text: string) => (
    <Button variant="contained" component={Link} to={to} sx={{ alignSelf: 'flex-start' }}>
      {text}
    </Button>
  )
  switch (kind) {
    case 'QR_CODE':
      return code.data === undefined ? null : link(`/codes/${id}`, t.show.QR_CODE)
    case 'ASSET':
      return link(`/assets/${id}`, t.show.ASSET)
    case 'SUPPLY':
      return link(`/assets/supplies/${id}`, t.show.SUPPLY)
    case 'ACTIVITY':
    case 'CHECK_IN':
      return link(`/activities/${id}?${activityParameters(content)}`, t.show[kind])
    case 'ORG_JOIN':
      return <JoinButton content={content} />
    case 'LOCATION':
    case 'PASS':
      // Its page is the one that the link in the code opens.
      return (
        <Button variant="contained" href={content.trim()} sx={{ alignSelf: 'flex-start' }}>
          {kind === 'PASS' ? t.pass : t.place}
        </Button>
      )
    case 'USER':
      return may('contacts.request') ? (
        <Button
          variant="contained"
          loading={request.isPending}
          disabled={request.isSuccess}
          onClick={() => request.mutate({ body: { code: content.trim() } })}
          sx={{ alignSelf: 'flex-start' }}
        >
          {t.request}
        </Button>
      ) : null
  }
}

function JoinButton({ content }: { content: string }) {
  const t = useTexts(words)
  const code = /(?:^org-join:|\/public\/orgs\/)([\w-]+)/i.exec(content.trim())?.[1] ?? ''
  return (
    <Button
      variant="contained"
      component={Link}
      to={`/join?code=${encodeURIComponent(code)}`}
      sx={{ alignSelf: 'flex-start' }}
    >
      {t.join}
    </Button>
  )
}

/**
 * The invite code in `activity:<id>:<code>` or in a link (`?code=`), the uuid in the link of a check-in page, which replaces the short code, and
 * the code of a screen in it (`?t=`).
 */
function activityParameters(content: string): URLSearchParams {
  const query = URL.parse(content.trim())?.searchParams
  const code = /^activity:\d+:([\w-]+)$/.exec(content.trim())?.[1] ?? query?.get('code')
  const checkIn = /\/s\/check-in\/([\da-f-]{36})/i.exec(content)?.[1]
  const t = checkIn && query?.get('t')
  return new URLSearchParams({ ...(code && { code }), ...(checkIn && { 'check-in': checkIn }), ...(t && { t }) })
}

function FavouriteButton({ record }: { record: ResolvedScanRecord }) {
  const t = useTexts(words)
  const may = useMay()
  const [isFavourite, setFavourite] = useState(record.favorite)
  const update = useAction('scanRecords.update', { onDone: ({ favorite }) => setFavourite(favorite) })
  if (!may('scanRecords.update')) return null
  const label = isFavourite ? t.unstar : t.star
  return (
    <Tooltip title={label}>
      <IconButton
        aria-label={label}
        onClick={() => update.mutate({ params: { id: record.id }, body: { favorite: !isFavourite } })}
      >
        {isFavourite ? <Star color="primary" /> : <StarBorder />}
      </IconButton>
    </Tooltip>
  )
}

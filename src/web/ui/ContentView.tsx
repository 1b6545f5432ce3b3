/** The content of a code in people's words: the network and its password, the parts of a contact, the place, with the fitting action. */

import { CalendarMonth, Call, ContentCopy, Mail, Map as MapIcon, OpenInNew, PersonAdd, Sms } from '@mui/icons-material'
import { Box, Button, IconButton, Stack, Tooltip, Typography } from '@mui/material'
import type { ReactNode } from 'react'

import { contactFile, eventFile, type Moment, type QrContent, readContent } from '#lib/qr-contents/index.ts'

import { saveAs } from '../api/client.ts'
import { newId } from '../api/new-id.ts'
import { dateTime, momentText } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useCopy } from './copy.ts'
import { useMapAddress } from './MapLink.tsx'

const words = texts({
  en: {
    labels: {
      network: 'Network',
      password: 'Password',
      security: 'Security',
      identity: 'User name',
      name: 'Name',
      organization: 'Company or school',
      title: 'Title',
      phone: 'Phone',
      email: 'E-mail',
      address: 'Address',
      url: 'Web address',
      birthday: 'Birthday',
      note: 'Note',
      subject: 'Subject',
      message: 'Message',
      position: 'Position',
      start: 'Begins',
      end: 'Ends',
      place: 'Place',
      description: 'Description',
    },
    openNetwork: 'None (open network)',
    wifiHint: 'Choose the network in the settings of your device, and paste the password.',
    open: (host: string) => `Open ${host}`,
    call: 'Call',
    write: 'Write an e-mail',
    sms: 'Write a message',
    map: 'Open in maps',
    contact: 'Save contact',
    calendar: 'Add to calendar',
    copy: (label: string) => `Copy: ${label}`,
    copyAll: 'Copy content',
  },
  zh: {
    labels: {
      network: '网络',
      password: '密码',
      security: '加密方式',
      identity: '用户名',
      name: '姓名',
      organization: '单位',
      title: '标题',
      phone: '电话',
      email: '邮箱',
      address: '地址',
      url: '网址',
      birthday: '生日',
      note: '备注',
      subject: '主题',
      message: '内容',
      position: '经纬度',
      start: '开始',
      end: '结束',
      place: '地点',
      description: '说明',
    },
    openNetwork: '无（开放网络）',
    wifiHint: '请在设备设置中选择此网络，并粘贴密码。',
    open: (host: string) => `打开 ${host}`,
    call: '拨打电话',
    write: '写邮件',
    sms: '发短信',
    map: '在地图中打开',
    contact: '保存联系人',
    calendar: '添加到日历',
    copy: (label: string) => `复制${label}`,
    copyAll: '复制内容',
  },
})

type Label = keyof (typeof words)['en']['labels']
type Row = readonly [label: Label, value: string]

/** More characters are a text to read, which is not shown larger. */
const LONGEST_FACT = 300
const LARGE = { fontSize: '1.375rem', fontWeight: 650, lineHeight: 1.35 } as const

export interface ContentViewProps {
  content: string
  /** Its first fact, such as the address that it leads to, is the largest text, and its action no more than the others. */
  isMain?: boolean
  /** More buttons. */
  children?: ReactNode
}

export function ContentView({ content, isMain = false, children }: ContentViewProps) {
  const t = useTexts(words)
  const copy = useCopy()
  const read = readContent(content)
  const rows = rowsOf(read, t.openNetwork).filter(([, value]) => value !== '')
  const large = (text: string) => isMain && text.length <= LONGEST_FACT && LARGE
  return (
    <Stack spacing={1.5} sx={{ minWidth: 0 }}>
      {rows.length === 0 ? (
        <Typography sx={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap', ...large(content) }}>{content}</Typography>
      ) : (
        <Box component="dl" sx={{ m: 0 }}>
          {rows.map(([name, value], i) => (
            <Stack key={name + value} direction="row" spacing={1.5} sx={{ alignItems: 'center', minHeight: 44 }}>
              <Typography component="dt" color="text.secondary" sx={{ width: '32%', maxWidth: 150, flexShrink: 0 }}>
                {t.labels[name]}
              </Typography>
              <Box component="dd" sx={{ m: 0, flex: 1, minWidth: 0, display: 'flex', alignItems: 'center' }}>
                <Typography
                  sx={{
                    flex: 1,
                    minWidth: 0,
                    overflowWrap: 'anywhere',
                    whiteSpace: 'pre-wrap',
                    ...(i === 0 && large(value)),
                  }}
                >
                  {value}
                </Typography>
                <Tooltip title={t.copy(t.labels[name])}>
                  <IconButton
                    aria-label={t.copy(t.labels[name])}
                    onClick={() => copy(value)}
                    sx={{ width: 44, height: 44 }}
                  >
                    <ContentCopy fontSize="small" />
                  </IconButton>
                </Tooltip>
              </Box>
            </Stack>
          ))}
        </Box>
      )}
      {read.type === 'wifi' && (
        <Typography variant="body2" color="text.secondary">
          {t.wifiHint}
        </Typography>
      )}
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        <ContentAction read={read} content={content} variant={isMain ? 'outlined' : 'contained'} />
        {children}
        <Button startIcon={<ContentCopy />} onClick={() => copy(content)}>
          {t.copyAll}
        </Button>
      </Stack>
    </Stack>
  )
}

/** Times in UTC are shown in the zone of the browser, others as they are written. */
const timeOf = (moment: Moment | undefined): string =>
  moment === undefined
    ? ''
    : moment.zone === 'UTC' && !moment.isDay
      ? dateTime(moment.at)
      : momentText(moment.at, moment.isDay)

function rowsOf(read: QrContent, openNetwork: string): readonly Row[] {
  const several = (label: Label, values: readonly string[]) => values.map((value): Row => [label, value])
  switch (read.type) {
    case 'wifi':
      return [
        ['network', read.network],
        ['password', read.password],
        ['security', read.security || openNetwork],
        ['identity', read.identity],
      ]
    case 'contact':
      return [
        ['name', read.name],
        ['organization', read.organization],
        ['title', read.title],
        ...several('phone', read.phones),
        ...several('email', read.emails),
        ...several('url', read.urls),
        ...several('address', read.addresses),
        ['birthday', read.birthday],
        ['note', read.note],
      ]
    case 'event':
      return [
        ['title', read.title],
        ['start', timeOf(read.start)],
        ['end', timeOf(read.end)],
        ['place', read.location],
        ['description', read.description],
        ['url', read.url],
      ]
    case 'mail':
      return [
        ['email', read.to],
        ['subject', read.subject],
        ['message', read.body],
      ]
    case 'phone':
      return [['phone', read.number]]
    case 'sms':
      return [
        ['phone', read.number],
        ['message', read.body],
      ]
    case 'place':
      return [
        ['place', read.name],
        ['position', `${read.latitude}, ${read.longitude}`],
      ]
    default:
      return []
  }
}

type Variant = 'contained' | 'outlined'

/** The action that phones offer for such a content. The reader lets only schemes pass that are safe to follow. */
function ContentAction({ read, content, variant }: { read: QrContent; content: string; variant: Variant }) {
  const t = useTexts(words)
  const mapAddress = useMapAddress()
  const save = (text: string | undefined, name: string, type: string) =>
    saveAs(new Blob([text ?? content], { type }), name)
  const event = () => eventFile(content, { uid: newId(), writtenAt: Date.now() })
  switch (read.type) {
    case 'url':
      return <Action variant={variant} href={read.url.href} icon={<OpenInNew />} text={t.open(read.url.host)} />
    case 'phone':
      return <Action variant={variant} href={read.href} icon={<Call />} text={t.call} />
    case 'mail':
      return <Action variant={variant} href={read.href} icon={<Mail />} text={t.write} />
    case 'sms':
      return <Action variant={variant} href={read.href} icon={<Sms />} text={t.sms} />
    case 'place':
      return (
        <Action variant={variant} href={mapAddress(read.latitude, read.longitude)} icon={<MapIcon />} text={t.map} />
      )
    case 'contact':
      return (
        <Button
          variant={variant}
          startIcon={<PersonAdd />}
          onClick={() => save(contactFile(content), 'contact.vcf', 'text/vcard')}
        >
          {t.contact}
        </Button>
      )
    case 'event':
      return (
        <Button
          variant={variant}
          startIcon={<CalendarMonth />}
          onClick={() => save(event(), 'event.ics', 'text/calendar')}
        >
          {t.calendar}
        </Button>
      )
    default:
      return null
  }
}

const Action = ({ href, icon, text, variant }: { href: string; icon: ReactNode; text: string; variant: Variant }) => (
  <Button
    variant={variant}
    startIcon={icon}
    href={href}
    target="_blank"
    rel="noopener noreferrer"
    sx={{ overflowWrap: 'anywhere' }}
  >
    {text}
  </Button>
)

/** A content in people's words: the network and its password, the parts of a contact, the place, with the fitting action. */

import { ContentCopy, OpenInNew, PersonAdd } from '@mui/icons-material'
import { Box, Button, IconButton, Stack, Tooltip, Typography } from '@mui/material'

import { saveAs } from '../../api/client.ts'
import type { ContentType } from '../../api/types.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useCopy } from '../../ui/copy.ts'
import { type Fields, isFormType, parse } from './content.ts'

const words = texts({
  en: {
    labels: {
      url: 'Web address',
      ssid: 'Network',
      password: 'Password',
      security: 'Security',
      givenName: 'First name',
      familyName: 'Last name',
      org: 'Company or school',
      title: 'Job title',
      phone: 'Phone',
      email: 'E-mail',
      address: 'Address',
      note: 'Note',
      subject: 'Subject',
      body: 'Message',
      number: 'Phone number',
      message: 'Message',
      latitude: 'Latitude',
      longitude: 'Longitude',
      summary: 'Title',
      start: 'Begins',
      end: 'Ends',
      location: 'Place',
      description: 'Description',
      text: 'Text',
    },
    open: (host: string) => `Open ${host}`,
    call: 'Call',
    write: 'Write an e-mail',
    sms: 'Write a message',
    map: 'Open in maps',
    contact: 'Save contact',
    calendar: 'Add to calendar',
    copy: (label: string) => `Copy: ${label}`,
    copyAll: 'Copy content',
    openNetwork: 'None (open network)',
  },
  zh: {
    labels: {
      url: '网址',
      ssid: '网络',
      password: '密码',
      security: '加密方式',
      givenName: '名',
      familyName: '姓',
      org: '单位',
      title: '职务',
      phone: '电话',
      email: '邮箱',
      address: '地址',
      note: '备注',
      subject: '主题',
      body: '正文',
      number: '电话号码',
      message: '短信内容',
      latitude: '纬度',
      longitude: '经度',
      summary: '标题',
      start: '开始',
      end: '结束',
      location: '地点',
      description: '描述',
      text: '文本',
    },
    open: (host: string) => `打开 ${host}`,
    call: '拨打电话',
    write: '写邮件',
    sms: '发短信',
    map: '在地图中打开',
    contact: '保存联系人',
    calendar: '添加到日历',
    copy: (label: string) => `复制${label}`,
    copyAll: '复制内容',
    openNetwork: '无（开放网络）',
  },
})

export function ContentView({ type, content }: { type: ContentType; content: string }) {
  const t = useTexts(words)
  const copy = useCopy()
  const fields = isFormType(type) && type !== 'URL' && type !== 'TEXT' ? parse(type, content) : undefined
  const rows = fields === undefined ? [] : rowsOf(fields, t.openNetwork)
  return (
    <Stack spacing={1.5} sx={{ alignItems: 'flex-start', minWidth: 0 }}>
      {rows.length === 0 ? (
        <Typography sx={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{content}</Typography>
      ) : (
        <Box
          component="dl"
          sx={{ m: 0, width: '100%', display: 'grid', gridTemplateColumns: 'auto minmax(0, 1fr) auto', columnGap: 2 }}
        >
          {rows.map(([name, value]) => {
            const label = t.labels[name as keyof typeof t.labels] ?? name
            return (
              <Box key={name} sx={{ display: 'contents' }}>
                <Typography component="dt" color="text.secondary" sx={{ alignSelf: 'center' }}>
                  {label}
                </Typography>
                <Typography
                  component="dd"
                  sx={{ m: 0, alignSelf: 'center', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}
                >
                  {value}
                </Typography>
                <Box component="dd" sx={{ m: 0, minHeight: 44 }}>
                  <Tooltip title={t.copy(label)}>
                    <IconButton aria-label={t.copy(label)} onClick={() => copy(value)}>
                      <ContentCopy fontSize="small" />
                    </IconButton>
                  </Tooltip>
                </Box>
              </Box>
            )
          })}
        </Box>
      )}
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        <ContentAction type={type} content={content} fields={fields} />
        <Button startIcon={<ContentCopy />} onClick={() => copy(content)}>
          {t.copyAll}
        </Button>
      </Stack>
    </Stack>
  )
}

/** The fields that have a value, as people read them. */
function rowsOf(fields: Fields, openNetwork: string): (readonly [string, string])[] {
  return Object.entries(fields)
    .filter(([name, value]) => value !== '' && name !== 'hidden')
    .map(([name, value]) => {
      if (name === 'security' && value === 'nopass') return [name, openNetwork]
      if (name === 'start' || name === 'end') return [name, dateTime(new Date(value).getTime())]
      return [name, value]
    })
}

/** The action that phones offer for such a content. Only schemes that are safe to follow. */
function ContentAction({ type, content, fields }: { type: ContentType; content: string; fields: Fields | undefined }) {
  const t = useTexts(words)
  const link = linkOf(content, fields)
  const save = (name: string, media: string) => saveAs(new Blob([content], { type: media }), name)
  if (type === 'VCARD')
    return (
      <Button variant="contained" startIcon={<PersonAdd />} onClick={() => save('contact.vcf', 'text/vcard')}>
        {t.contact}
      </Button>
    )
  if (type === 'EVENT')
    return (
      <Button variant="contained" onClick={() => save('event.ics', 'text/calendar')}>
        {t.calendar}
      </Button>
    )
  if (link === undefined) return null
  const label =
    link.protocol === 'tel:'
      ? t.call
      : link.protocol === 'mailto:'
        ? t.write
        : link.protocol === 'sms:'
          ? t.sms
          : type === 'GEO'
            ? t.map
            : t.open(link.host)
  return (
    <Button
      variant="contained"
      startIcon={<OpenInNew />}
      href={link.href}
      target="_blank"
      rel="noopener noreferrer"
      sx={{ overflowWrap: 'anywhere' }}
    >
      {label}
    </Button>
  )
}

function linkOf(content: string, fields: Fields | undefined): URL | undefined {
  const text = content.trim()
  if (/^(?:https?|mailto|tel):/i.test(text)) return URL.parse(text) ?? undefined
  if (/^(?:smsto|sms):/i.test(text) && fields !== undefined)
    return URL.parse(`sms:${fields['number']}?body=${encodeURIComponent(fields['message'] ?? '')}`) ?? undefined
  if (/^geo:/i.test(text) && fields !== undefined) {
    const place = `${fields['latitude']},${fields['longitude']}`
    return (
      URL.parse(
        `https://www.openstreetmap.org/?mlat=${fields['latitude']}&mlon=${fields['longitude']}#map=17/${place.replace(',', '/')}`,
      ) ?? undefined
    )
  }
  return undefined
}

/** The fields of each type of content: an address, a network, a contact, an event. */

import { Box, TextField, type TextFieldProps } from '@mui/material'

import { useLabels } from '../../i18n/fields.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { CheckField, ChoiceField } from '../../ui/fields.tsx'
import { PositionButton } from '../../ui/PositionButton.tsx'
import type { Fields, FormType } from './content.ts'

const words = texts({
  en: {
    fields: {
      url: 'Web address',
      text: 'Text',
      ssid: 'Network name (SSID)',
      security: 'Security',
      givenName: 'First name',
      familyName: 'Last name',
      org: 'Company or school',
      title: 'Job title',
      phone: 'Phone',
      note: 'Note',
      subject: 'Subject',
      body: 'Message',
      number: 'Phone number',
      message: 'Message',
      summary: 'Title',
      start: 'Begins',
      end: 'Ends',
    },
    emailAddress: 'E-mail address',
    hidden: 'The network is hidden',
    security: { WPA: 'WPA, WPA2 or WPA3', WEP: 'WEP (old)', nopass: 'None (open network)' },
    number: 'With the country code, as in +86 138 0000 0000',
    endFirst: 'Ends before it begins',
  },
  zh: {
    fields: {
      url: '网址',
      text: '文本',
      ssid: '网络名称（SSID）',
      security: '加密方式',
      givenName: '名',
      familyName: '姓',
      org: '单位',
      title: '职务',
      phone: '电话',
      note: '备注',
      subject: '主题',
      body: '正文',
      number: '电话号码',
      message: '短信内容',
      summary: '标题',
      start: '开始',
      end: '结束',
    },
    emailAddress: '邮箱地址',
    hidden: '隐藏的网络',
    security: { WPA: 'WPA、WPA2 或 WPA3', WEP: 'WEP（旧）', nopass: '无（开放网络）' },
    number: '请带国家代码，如 +86 138 0000 0000',
    endFirst: '结束时间早于开始时间',
  },
})

/** Fields with a label of this form, and those with a label of i18n/fields.ts. */
type Name =
  | keyof (typeof words)['en']['fields']
  | 'password'
  | 'email'
  | 'address'
  | 'latitude'
  | 'longitude'
  | 'location'
  | 'description'

export interface ContentFieldsProps {
  type: FormType
  fields: Fields
  onChange: (fields: Fields) => void
}

export function ContentFields({ type, fields, onChange }: ContentFieldsProps) {
  const t = useTexts(words)
  const labelOf = useLabels()
  const own: Partial<Record<Name, string>> = t.fields
  const nameParts: Name[] = useLocale() === 'zh' ? ['familyName', 'givenName'] : ['givenName', 'familyName']
  const set = (name: string, value: string) => onChange({ ...fields, [name]: value })
  const field = (name: Name, more: TextFieldProps = {}) => (
    <TextField
      key={name}
      label={own[name] ?? labelOf(name)}
      value={fields[name] ?? ''}
      onChange={(event) => set(name, event.target.value)}
      fullWidth
      {...more}
    />
  )
  const input = (inputMode: 'url' | 'email' | 'tel' | 'decimal') => ({ htmlInput: { inputMode } })
  switch (type) {
    case 'URL':
      return field('url', {
        required: true,
        placeholder: 'https://',
        slotProps: { htmlInput: { inputMode: 'url', autoCapitalize: 'none', spellCheck: false } },
      })
    case 'TEXT':
      return field('text', { required: true, multiline: true, minRows: 3, maxRows: 12 })
    case 'WIFI': {
      const security = fields['security'] || 'WPA'
      return (
        <>
          {field('ssid', { required: true })}
          <ChoiceField
            label={t.fields.security}
            value={security}
            onChange={(value) => set('security', value)}
            choices={Object.entries(t.security).map(([id, name]) => ({ id, name }))}
          />
          {security !== 'nopass' && field('password', { required: true, autoComplete: 'off' })}
          <CheckField
            name="hidden"
            label={t.hidden}
            value={fields['hidden'] === 'true'}
            onChange={(isHidden) => set('hidden', String(isHidden))}
          />
        </>
      )
    }
    case 'VCARD':
      return (
        <>
          <Pair>{nameParts.map((name) => field(name))}</Pair>
          <Pair>
            {field('phone', { type: 'tel' })}
            {field('email', { type: 'email' })}
          </Pair>
          <Pair>
            {field('org')}
            {field('title')}
          </Pair>
          {field('url', { slotProps: input('url') })}
          {field('address')}
          {field('note', { multiline: true, maxRows: 6 })}
        </>
      )
    case 'EMAIL':
      return (
        <>
          {field('address', { label: t.emailAddress, type: 'email', required: true })}
          {field('subject')}
          {field('body', { multiline: true, minRows: 2, maxRows: 8 })}
        </>
      )
    case 'PHONE':
      return field('number', { type: 'tel', required: true, helperText: t.number })
    case 'SMS':
      return (
        <>
          {field('number', { type: 'tel', required: true, helperText: t.number })}
          {field('message', { multiline: true, maxRows: 6 })}
        </>
      )
    case 'GEO':
      return (
        <>
          <Pair>
            {field('latitude', { required: true, slotProps: input('decimal') })}
            {field('longitude', { required: true, slotProps: input('decimal') })}
          </Pair>
          <PositionButton
            sx={{ alignSelf: 'flex-start' }}
            onPosition={({ latitude, longitude }) =>
              onChange({ ...fields, latitude: `${latitude}`, longitude: `${longitude}` })
            }
          />
        </>
      )
    case 'EVENT': {
      const isReversed = Boolean(fields['start'] && fields['end'] && fields['end'] < fields['start'])
      const time: TextFieldProps = { type: 'datetime-local', slotProps: { inputLabel: { shrink: true } } }
      return (
        <>
          {field('summary', { required: true })}
          <Pair>
            {field('start', { ...time, required: true })}
            {field('end', { ...time, error: isReversed, helperText: isReversed ? t.endFirst : undefined })}
          </Pair>
          {field('location')}
          {field('description', { multiline: true, maxRows: 6 })}
        </>
      )
    }
  }
}

/** Two short fields beside each other; on phones below each other. */
const Pair = ({ children }: { children: React.ReactNode }) => (
  <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '1fr 1fr' } }}>{children}</Box>
)

/** Says where a scan of a short link would lead, with a device, in a language, at a time. */

import { Button, Card, CardContent, MenuItem, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../../api/hooks.ts'
import type { TriedQrCodeLink } from '../../../api/types.ts'
import { inputTime } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useOwnerQuery } from '../../../session/session.ts'
import { ErrorNotice } from '../../../ui/Answer.tsx'
import { deviceWords } from './sentences.ts'

const words = texts({
  en: {
    title: 'Try',
    help: 'Where would a scan lead? Nothing is counted. Changes that are not saved do not count either.',
    device: 'Device',
    language: 'Language',
    languageHelp: 'zh, en-GB',
    country: 'Country',
    countryHelp: 'DE, CN',
    at: 'When',
    atHelp: 'Empty: now',
    any: 'Any',
    go: 'Try',
    leads: (target: string) => `Leads to ${target}.`,
    ended: (target: string) => `The link has ended, so it leads to ${target}.`,
    results: {
      PAGE: 'Shows the public page.',
      PASSWORD: 'Asks for the password.',
      EXPIRED: 'The link has expired: a page says so.',
      EXHAUSTED: 'The link has been used up: a page says so.',
      BLOCKED: 'An administrator has blocked this code, or the website that it leads to: a page says so.',
      PRIVATE: 'The code is not public: the scan finds nothing.',
    },
    rule: (n: number) => `Rule ${n} holds.`,
    noRule: 'No rule holds.',
  },
  zh: {
    title: '试一试',
    help: '扫码会前往哪里？不会计数，仅针对已保存的设置。',
    device: '设备',
    language: '语言',
    languageHelp: 'zh、en-GB',
    country: '国家或地区',
    countryHelp: 'CN、DE',
    at: '时间',
    atHelp: '留空表示现在',
    any: '不限',
    go: '试一试',
    leads: (target: string) => `前往 ${target}。`,
    ended: (target: string) => `链接已失效，因此前往 ${target}。`,
    results: {
      PAGE: '显示公开页面。',
      PASSWORD: '要求输入密码。',
      EXPIRED: '链接已过期，将显示提示页面。',
      EXHAUSTED: '链接次数已用完，将显示提示页面。',
      BLOCKED: '管理员已封禁此码或其指向的网站，将显示提示页面。',
      PRIVATE: '此码未公开，扫码找不到内容。',
    },
    rule: (n: number) => `符合规则 ${n}。`,
    noRule: '不符合任何规则。',
  },
})

const DEVICES = ['IOS', 'ANDROID', 'WINDOWS', 'MACOS', 'LINUX', 'OTHER'] as const
const SHRINK = { inputLabel: { shrink: true } } as const

export function TryLink({ id, hasRules }: { id: number; hasRules: boolean }) {
  const t = useTexts(words)
  const devices = useTexts(deviceWords)
  const query = useOwnerQuery()
  const [device, setDevice] = useState<(typeof DEVICES)[number] | ''>('')
  const [language, setLanguage] = useState('')
  const [country, setCountry] = useState('')
  const [at, setAt] = useState<number | null>(null)
  const action = useAction('qrCodes.tryLink', { quiet: true, refreshes: [] })
  const go = () =>
    action.mutate({
      params: { id },
      query,
      body: {
        at,
        device: device || null,
        language: language.trim() || null,
        country: country.trim().toUpperCase() || null,
      },
    })
  return (
    <Card>
      <CardContent component={Stack} spacing={2}>
        <Typography variant="h2">{t.title}</Typography>
        <Typography variant="body2" color="text.secondary">
          {t.help}
        </Typography>
        <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2}>
          <TextField
            select
            fullWidth
            label={t.device}
            value={device}
            onChange={({ target }) => setDevice(target.value as typeof device)}
          >
            <MenuItem value="">{t.any}</MenuItem>
            {DEVICES.map((one) => (
              <MenuItem key={one} value={one}>
                {devices[one]}
              </MenuItem>
            ))}
          </TextField>
          <TextField
            fullWidth
            label={t.language}
            value={language}
            helperText={t.languageHelp}
            onChange={({ target }) => setLanguage(target.value)}
          />
        </Stack>
        <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2}>
          <TextField
            fullWidth
            label={t.country}
            value={country}
            helperText={t.countryHelp}
            onChange={({ target }) => setCountry(target.value)}
          />
          <TextField
            fullWidth
            type="datetime-local"
            label={t.at}
            helperText={t.atHelp}
            value={inputTime(at)}
            slotProps={SHRINK}
            onChange={({ target }) => setAt(target.value === '' ? null : new Date(target.value).getTime())}
          />
        </Stack>
        <Button variant="outlined" loading={action.isPending} onClick={go} sx={{ alignSelf: 'flex-start' }}>
          {t.go}
        </Button>
        {action.error !== null && <ErrorNotice error={action.error} />}
        <Typography component="output" sx={{ display: 'block', overflowWrap: 'anywhere', fontWeight: 550 }}>
          {action.data && <Result result={action.data} hasRules={hasRules} />}
        </Typography>
      </CardContent>
    </Card>
  )
}

function Result({ result: { result, target, ruleIndex }, hasRules }: { result: TriedQrCodeLink; hasRules: boolean }) {
  const t = useTexts(words)
  const rule = ruleIndex === null ? hasRules && result === 'TARGET' && t.noRule : t.rule(ruleIndex + 1)
  const outcome =
    result === 'TARGET' ? t.leads(target ?? '') : result === 'FALLBACK' ? t.ended(target ?? '') : t.results[result]
  return (
    <>
      {outcome} {rule}
    </>
  )
}

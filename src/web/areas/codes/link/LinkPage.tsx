/** How the short link of a code leads: rules, end, password, warning. */

import { LinkOff } from '@mui/icons-material'
import { Alert, Box, Card, CardContent, Stack, TextField, Typography } from '@mui/material'
import { useParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import type { QrCode, QrCodeLink } from '../../../api/types.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useOwnerQuery, useRowQuery } from '../../../session/session.ts'
import { Answer, EmptyState } from '../../../ui/Answer.tsx'
import { CheckField, NumberField } from '../../../ui/fields.tsx'
import { Form } from '../../../ui/Form.tsx'
import { OwnedAnswer } from '../../../ui/Owned.tsx'
import { Page } from '../../../ui/Page.tsx'
import { type Form as FormOf, useForm } from '../../../ui/use-form.tsx'
import { codeWords } from '../words.ts'
import { RuleList } from './RuleList.tsx'
import type { Rule } from './sentences.ts'
import { TryLink } from './TryLink.tsx'

const words = texts({
  en: {
    title: (name: string) => `Short link of “${name}”`,
    none: 'This code has no short link',
    noneText: 'Make it dynamic, or choose a short link in its form.',
    saved: 'Saved.',
    rules: 'Rules',
    rulesHelp: 'The first rule that holds leads the scan.',
    end: 'End',
    expiresAt: 'Ends at',
    maxScans: 'Ends after this many scans',
    left: (left: string) => `${left} left. Counting begins again when the number is changed.`,
    fallbackUrl: 'Then leads to',
    fallbackHelp: 'Empty: a page says that the link has ended.',
    protection: 'Before the target',
    hasPassword: 'Ask for a password',
    password: 'Password',
    passwordKept: 'Leave empty to keep the password.',
    passwordHelp: 'At least 4 characters. Each scan asks for it.',
    warn: 'Show where the code leads first',
    warnHelp: 'A page with the address and a button, for links that people should look at.',
    warnsAlways:
      'The server shows this page for all of your codes, because you have no proved e-mail or phone, or because its administrators chose so.',
    opens: 'Open the link at once',
    opensHelp: 'Otherwise the public page with a button is shown first.',
    forwardQuery: 'Pass on parameters of the scanned address',
    forwardHelp: 'Those that the target does not have: ?table=12 in the code reaches the target.',
    aliases: (links: string) => `Earlier links that still lead here: ${links}`,
  },
  zh: {
    title: (name: string) => `“${name}”的短链接`,
    none: '此码没有短链接',
    noneText: '请在编辑页面将其改为活码，或设置短链接。',
    saved: '已保存。',
    rules: '规则',
    rulesHelp: '按第一条符合的规则跳转。',
    end: '有效期',
    expiresAt: '到期时间',
    maxScans: '扫码多少次后失效',
    left: (left: string) => `剩余 ${left} 次。修改次数后重新计数。`,
    fallbackUrl: '失效后前往',
    fallbackHelp: '留空则显示链接已失效的页面。',
    protection: '跳转之前',
    hasPassword: '需要密码',
    password: '密码',
    passwordKept: '留空则保持原密码。',
    passwordHelp: '至少 4 个字符，每次扫码都需要输入。',
    warn: '先显示将前往的网址',
    warnHelp: '显示带网址和按钮的页面，让访问者先确认。',
    warnsAlways: '服务器会为你的所有二维码显示此页面，因为你没有已验证的邮箱或手机，或管理员如此设置。',
    opens: '直接打开链接',
    opensHelp: '关闭时先显示带按钮的公开页面。',
    forwardQuery: '传递扫码网址中的参数',
    forwardHelp: '目标没有的参数会被传递，例如二维码中的 ?table=12。',
    aliases: (links: string) => `仍指向此处的旧链接：${links}`,
  },
})

interface LinkValues {
  readonly opensTarget: boolean
  readonly rules: readonly Rule[]
  readonly expiresAt: number | null
  readonly maxScans: number | null
  readonly fallbackUrl: string
  readonly hasPassword: boolean
  readonly password: string
  readonly warn: boolean
  readonly forwardQuery: boolean
}

const valuesOf = (link: QrCodeLink): LinkValues => ({
  opensTarget: link.opens === 'TARGET',
  rules: link.rules,
  expiresAt: link.expiresAt,
  maxScans: link.maxScans,
  fallbackUrl: link.fallbackUrl ?? '',
  hasPassword: link.hasPassword,
  password: '',
  warn: link.warn,
  forwardQuery: link.forwardQuery,
})

export default function LinkPage() {
  const id = Number(useParams()['id'])
  const code = useCall('qrCodes.get', { params: { id }, query: useRowQuery('qrCodes.get') })
  return (
    <OwnedAnswer query={code}>{(row) => (row.slug === null ? <None code={row} /> : <Loaded code={row} />)}</OwnedAnswer>
  )
}

function None({ code }: { code: QrCode }) {
  const t = useTexts(words)
  return (
    <Page title={t.title(code.name)} back={`/codes/${code.id}`}>
      <EmptyState icon={LinkOff} title={t.none} text={t.noneText} />
    </Page>
  )
}

function Loaded({ code }: { code: QrCode }) {
  const t = useTexts(words)
  const query = useCall('qrCodes.link', { params: { id: code.id }, query: useOwnerQuery() })
  return (
    <Page title={t.title(code.name)} back={`/codes/${code.id}`}>
      <Answer query={query}>{(link) => <LinkForm key={code.id} code={code} link={link} />}</Answer>
    </Page>
  )
}

/** Sends changed fields only: an end that has passed could not be sent again, and a number of scans would be counted again from the start. */
function bodyOf(values: LinkValues, link: QrCodeLink) {
  const { opensTarget, rules, expiresAt, maxScans, fallbackUrl, hasPassword, password, warn, forwardQuery } = values
  return {
    opens: opensTarget ? ('TARGET' as const) : ('PAGE' as const),
    warn,
    forwardQuery,
    fallbackUrl: fallbackUrl.trim() || null,
    ...(rules !== link.rules && { rules: [...rules] }),
    ...(expiresAt !== link.expiresAt && { expiresAt }),
    ...(maxScans !== link.maxScans && { maxScans }),
    ...(hasPassword ? password !== '' && { password } : link.hasPassword && { password: null }),
  }
}

function LinkForm({ code, link }: { code: QrCode; link: QrCodeLink }) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const owned = useOwnerQuery()
  const mayChange = useMay()('qrCodes.updateLink')
  const form = useForm('qrCodes.updateLink', () => valuesOf(link), {
    done: t.saved,
    refreshes: ['qrCodes'],
    paths: { opensTarget: 'opens', rules: [], hasPassword: [] },
    from: { version: link.version, values: (row: QrCodeLink) => valuesOf(row) },
    input: (values) => ({ params: { id: code.id }, query: owned, body: bodyOf(values, link) }),
    onDone: (saved) => form.reset(valuesOf(saved)),
  })
  const ruleProblem = (i: number) => form.error?.details.find(({ path }) => path.startsWith(`body.rules.${i}`))?.message
  return (
    <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { md: 'minmax(0, 1fr) 380px' }, alignItems: 'start' }}>
      <Form form={form} {...(mayChange && { action: shared.save, needsChange: true })}>
        <Card>
          <CardContent component={Stack} spacing={1.5}>
            <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{link.shortUrl}</Typography>
            {link.aliases.length > 0 && (
              <Typography variant="body2" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
                {t.aliases(link.aliases.join(', '))}
              </Typography>
            )}
            <CheckField {...form.check('opensTarget', { label: t.opens, help: t.opensHelp })} disabled={!mayChange} />
          </CardContent>
        </Card>
        <Card>
          <CardContent component={Stack} spacing={1.5}>
            <Typography variant="h2">{t.rules}</Typography>
            <Typography variant="body2" color="text.secondary">
              {t.rulesHelp}
            </Typography>
            <RuleList
              rules={form.values.rules}
              target={link.target}
              problem={ruleProblem}
              mayChange={mayChange}
              onChange={(rules) => form.set({ rules })}
            />
          </CardContent>
        </Card>
        <End form={form} link={link} disabled={!mayChange} />
        <Before form={form} link={link} disabled={!mayChange} />
      </Form>
      <TryLink id={code.id} hasRules={link.rules.length > 0} />
    </Box>
  )
}

interface PartProps {
  form: FormOf<LinkValues>
  link: QrCodeLink
  disabled: boolean
}

function End({ form, link, disabled }: PartProps) {
  const t = useTexts(words)
  const left = link.scansLeft === null ? undefined : t.left(number(link.scansLeft))
  return (
    <Card>
      <CardContent component={Stack} spacing={2}>
        <Typography variant="h2">{t.end}</Typography>
        <TextField {...form.time('expiresAt', { label: t.expiresAt })} disabled={disabled} />
        <NumberField {...form.number('maxScans', { label: t.maxScans, help: left })} disabled={disabled} />
        <TextField
          {...form.text('fallbackUrl', { label: t.fallbackUrl, help: t.fallbackHelp })}
          required={false}
          disabled={disabled}
          type="url"
        />
      </CardContent>
    </Card>
  )
}

function Before({ form, link, disabled }: PartProps) {
  const t = useTexts(words)
  const { hasPassword } = form.values
  return (
    <Card>
      <CardContent component={Stack} spacing={1.5}>
        <Typography variant="h2">{t.protection}</Typography>
        <CheckField {...form.check('hasPassword', { label: t.hasPassword })} disabled={disabled} />
        {hasPassword && (
          <TextField
            {...form.text('password', { label: t.password, help: link.hasPassword ? t.passwordKept : t.passwordHelp })}
            type="password"
            autoComplete="new-password"
            required={!link.hasPassword}
            disabled={disabled}
          />
        )}
        <CheckField {...form.check('warn', { label: t.warn, help: t.warnHelp })} disabled={disabled} />
        {link.warnsAlways && <Alert severity="info">{t.warnsAlways}</Alert>}
        <CheckField
          {...form.check('forwardQuery', { label: t.forwardQuery, help: t.forwardHelp })}
          disabled={disabled}
        />
      </CardContent>
    </Card>
  )
}

/** The name, the colours and the contact of the server, and below them its mail server. */

import { Box, Stack, TextField } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import type { ServerIdentity } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Form } from '../../ui/Form.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { MailSection } from './MailSection.tsx'

const words = texts({
  en: {
    title: 'Name and mail',
    look: 'Name and look',
    about: 'Shown on all pages, in mails and in installed applications.',
    saved: 'The name and look are changed.',
    shortName: 'Short name',
    shortNameHelp: 'For home screens and text messages. By default, the beginning of the name.',
    description: 'In one sentence',
    primary: 'Colour on light ground',
    primaryDark: 'Colour on dark ground',
    colorHelp: 'As #rrggbb. Empty: the usual colour.',
    shown: (color: string) => `Shown as ${color}, as text in this colour would be hard to read.`,
    contact: 'Contact',
    contactAbout:
      'In the foot of all public pages, if there is an operator or a legal notice. Answers to mails go to the e-mail.',
    operator: 'Operator',
    url: 'Website',
    imprintUrl: 'Legal notice (address)',
    privacyUrl: 'Privacy policy (address)',
  },
  zh: {
    title: '名称与邮件',
    look: '名称与外观',
    about: '显示在所有页面、邮件和已安装的应用中。',
    saved: '名称与外观已更新。',
    shortName: '简称',
    shortNameHelp: '用于主屏幕和短信。默认取名称的开头。',
    description: '一句话介绍',
    primary: '浅色背景下的颜色',
    primaryDark: '深色背景下的颜色',
    colorHelp: '格式为 #rrggbb。留空则使用默认颜色。',
    shown: (color: string) => `此颜色的文字难以阅读，实际显示为 ${color}。`,
    contact: '联系方式',
    contactAbout: '填写运营者或法律声明后，显示在所有公开页面的页脚。邮件的回复发送至此邮箱。',
    operator: '运营者',
    url: '网站',
    imprintUrl: '法律声明（网址）',
    privacyUrl: '隐私政策（网址）',
  },
})

export default function SitePage() {
  const t = useTexts(words)
  const query = useCall('server.values', {})
  return (
    <Page title={t.title} width="form">
      <Answer query={query}>
        {({ identity, mail }) => (
          <Stack spacing={2}>
            <IdentityForm key={contentOf(identity)} identity={identity} />
            <MailSection key={contentOf(mail)} mail={mail} />
          </Stack>
        )}
      </Answer>
    </Page>
  )
}

/** Each form is reset when its own values are saved, and keeps typed texts when those of the other form are: both have one version. */
const contentOf = (values: { version: number; status?: unknown }): string =>
  JSON.stringify({ ...values, version: null, status: null })

const CONTACT = ['operator', 'email', 'phone', 'url', 'imprintUrl', 'privacyUrl'] as const

const valuesOf = ({ name, shortName, description, colors, contact, sources }: ServerIdentity) => ({
  name,
  shortName: sources['shortName'] === 'DEFAULT' ? '' : shortName,
  description,
  primary: colors.primary ?? '',
  primaryDark: colors.primaryDark ?? '',
  operator: contact.operator ?? '',
  email: contact.email ?? '',
  phone: contact.phone ?? '',
  url: contact.url ?? '',
  imprintUrl: contact.imprintUrl ?? '',
  privacyUrl: contact.privacyUrl ?? '',
})

function IdentityForm({ identity }: { identity: ServerIdentity }) {
  const t = useTexts(words)
  const { save } = useTexts(common)
  const form = useForm('server.identity.update', () => valuesOf(identity), {
    done: t.saved,
    refreshes: ['server'],
    from: { version: identity.version, values: valuesOf },
    paths: {
      primary: 'colors.primary',
      primaryDark: 'colors.primaryDark',
      ...Object.fromEntries(CONTACT.map((field) => [field, `contact.${field}`])),
    },
    input: (values) => ({
      body: {
        name: values.name,
        shortName: values.shortName,
        description: values.description,
        colors: { primary: values.primary, primaryDark: values.primaryDark },
        contact: Object.fromEntries(CONTACT.map((field) => [field, values[field]])),
      },
    }),
  })
  const { colors, effectiveColors } = identity
  const colorHelp = (field: 'primary' | 'primaryDark'): string => {
    const shown = effectiveColors[field]
    return shown === null || shown === colors[field]?.toLowerCase() ? t.colorHelp : t.shown(shown)
  }
  return (
    <Form form={form} action={save} needsChange>
      <Section title={t.look} text={t.about}>
        <Stack spacing={2}>
          <TextField {...form.text('name')} />
          <TextField {...form.text('shortName', { label: t.shortName, help: t.shortNameHelp })} />
          <TextField {...form.text('description', { label: t.description })} multiline />
          <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '1fr 1fr' } }}>
            <TextField {...form.text('primary', { label: t.primary, help: colorHelp('primary') })} />
            <TextField {...form.text('primaryDark', { label: t.primaryDark, help: colorHelp('primaryDark') })} />
          </Box>
        </Stack>
      </Section>
      <Section title={t.contact} text={t.contactAbout}>
        <Stack spacing={2}>
          {CONTACT.map((field) => (
            <TextField
              key={field}
              {...form.text(field, field === 'email' || field === 'phone' ? {} : { label: t[field] })}
            />
          ))}
        </Stack>
      </Section>
    </Form>
  )
}

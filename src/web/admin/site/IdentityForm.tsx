/** The form with the name, the colours and the contact of the server. */

import { Box, Button, Stack, TextField } from '@mui/material'
import { type FormEvent, useState } from 'react'

import type { ServerIdentity } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Form } from '../../ui/Form.tsx'
import { Section } from '../../ui/parts.tsx'
import { type Form as FormOf, useForm } from '../../ui/use-form.tsx'
import type { StepProps } from '../setup/step.tsx'
import { LogoField } from './LogoField.tsx'

const words = texts({
  en: {
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
    more: 'Colours, contact and more',
  },
  zh: {
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
    more: '颜色、联系方式等',
  },
})

const CONTACT = ['operator', 'email', 'phone', 'url', 'imprintUrl', 'privacyUrl'] as const

export const valuesOf = ({ name, shortName, description, colors, contact, sources }: ServerIdentity) => ({
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

/** `step`: in the setup, where the name comes first and the rest is folded. */
export function IdentityForm({ identity, step }: { identity: ServerIdentity; step?: StepProps }) {
  const t = useTexts(words)
  const { save } = useTexts(common)
  const [isOpen, setOpen] = useState(step === undefined)
  const form = useForm('server.identity.update', () => valuesOf(identity), {
    ...(step === undefined ? { done: t.saved } : { onDone: step.finish }),
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
  const submit = (event?: FormEvent) => {
    if (step === undefined || form.isChanged) return form.submit(event)
    event?.preventDefault()
    step.finish()
  }
  const buttons = step === undefined ? { action: save, needsChange: true } : { action: step.action, other: step.other }
  return (
    <Form form={{ ...form, submit, isBusy: form.isBusy || step?.isBusy === true }} {...buttons}>
      <Section title={t.look} text={t.about}>
        <Stack spacing={2}>
          <TextField {...form.text('name')} />
          {!isOpen && (
            <Button onClick={() => setOpen(true)} sx={{ alignSelf: 'flex-start' }}>
              {t.more}
            </Button>
          )}
          {isOpen && <Look form={form} identity={identity} colorHelp={colorHelp} />}
        </Stack>
      </Section>
      {isOpen && (
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
      )}
    </Form>
  )
}

type Values = ReturnType<typeof valuesOf>

interface LookProps {
  form: FormOf<Values>
  identity: ServerIdentity
  colorHelp: (field: 'primary' | 'primaryDark') => string
}

function Look({ form, identity, colorHelp }: LookProps) {
  const t = useTexts(words)
  return (
    <>
      <TextField {...form.text('shortName', { label: t.shortName, help: t.shortNameHelp })} />
      <TextField {...form.text('description', { label: t.description })} multiline />
      <LogoField identity={identity} />
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '1fr 1fr' } }}>
        <TextField {...form.text('primary', { label: t.primary, help: colorHelp('primary') })} />
        <TextField {...form.text('primaryDark', { label: t.primaryDark, help: colorHelp('primaryDark') })} />
      </Box>
    </>
  )
}

/** The parts of the form of a code: content, publication, and what orders the codes of the user. */

import {
  Autocomplete,
  Button,
  Card,
  CardContent,
  FormHelperText,
  InputAdornment,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { useEffect, useRef } from 'react'

import type { QrCode } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ChipField } from '../../ui/ChipField.tsx'
import { CheckField } from '../../ui/fields.tsx'
import type { Form } from '../../ui/use-form.tsx'
import { contentOf, defaultName, type Values } from './code-values.ts'
import { FORM_TYPES, isFormType, parse } from './content.ts'
import { ContentFields } from './ContentFields.tsx'
import { FolderField } from './FolderField.tsx'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    what: 'Content',
    nameHelp: 'Shown in lists, and as the title of the public page.',
    raw: 'Edit as text',
    asForm: 'Edit in the form',
    dynamic: 'Dynamic: changeable after printing',
    dynamicHelp:
      'The picture holds a link to this server, which leads to the content. You can change the content later, and each scan is counted. Only public codes can be opened.',
    fixedHelp:
      'The picture holds the content itself. It works without this server, but cannot be changed once it is printed.',
    public: 'Public page',
    publicHelp: 'Everyone who has the link can see name, content and picture.',
    publicNeeded: 'A dynamic code leads nowhere until it is public.',
    opens: 'Open the link at once',
    opensHelp: 'A scan leads straight to the content. Otherwise the public page with a button is shown first.',
    opensOther: 'For links. Other contents are shown on the public page, whatever is chosen here.',
    slug: 'Short link',
    slugHelp: 'Leave empty for one that nobody can guess. Lower-case letters, digits and hyphens, at least 3.',
    slugChange: 'The earlier link keeps working, but the picture changes.',
    slugOld: 'This code was made before there were short links. With one, its picture changes.',
    more: 'Folder, tags and remark',
    tagsHelp: 'Press Enter after each tag',
    unfinished: 'Fill in the required fields of the content.',
  },
  zh: {
    what: '内容',
    nameHelp: '用于列表，也是公开页面的标题。',
    raw: '编辑原始文本',
    asForm: '用表单编辑',
    dynamic: '活码（印刷后可修改）',
    dynamicHelp: '图片中是指向本服务器的链接，再转到内容。之后可以修改内容，每次扫描都会计数。仅在公开时有效。',
    fixedHelp: '图片中直接保存内容，不依赖本服务器，但印刷后无法修改。',
    public: '公开页面',
    publicHelp: '任何有链接的人都能看到名称、内容和图片。',
    publicNeeded: '活码公开后才能打开。',
    opens: '直接打开链接',
    opensHelp: '扫码后直接跳转到内容；关闭时先显示带按钮的公开页面。',
    opensOther: '仅适用于链接。其他内容始终在公开页面上显示。',
    slug: '短链接',
    slugHelp: '留空则自动生成难以猜测的链接。至少 3 个小写字母、数字或连字符。',
    slugChange: '之前的链接仍然有效，但图片会改变。',
    slugOld: '此码创建时还没有短链接。设置后图片会改变。',
    more: '文件夹、标签和备注',
    tagsHelp: '每输入一个标签按回车',
    unfinished: '请填写内容的必填项。',
  },
})

interface PartProps {
  form: Form<Values>
}

/** The type of the content, the content and the name. The form of a new code begins in its first field. */
export function Content({ form, isNew }: PartProps & { isNew: boolean }) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const typeName = useEnum('contentType')
  const { contentType: type } = form.values
  return (
    <Card>
      <CardContent component={Stack} spacing={2}>
        <Typography variant="h2">{t.what}</Typography>
        <ChipField
          label={shared.type}
          value={type}
          onChange={(next) => form.set({ contentType: next, isRaw: !isFormType(next), raw: '', isIncomplete: false })}
          choices={[...FORM_TYPES, ...(isFormType(type) ? [] : [type])].map((each) => [each, typeName(each)] as const)}
        />
        <ContentInput form={form} hasFocus={isNew} />
        <TextField
          {...form.text('name', { help: t.nameHelp })}
          required={false}
          placeholder={defaultName(contentOf(form.values))}
          slotProps={{ inputLabel: { shrink: true } }}
        />
      </CardContent>
    </Card>
  )
}

/** The fields of the content, or its text. `hasFocus`: when they appear, the first of them gets the focus. */
export function ContentInput({ form, hasFocus }: PartProps & { hasFocus: boolean }) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const { contentType: type, fields, isRaw, raw, isIncomplete } = form.values
  const content = contentOf(form.values)
  const isForm = isFormType(type)
  const box = useRef<HTMLDivElement>(null)
  // Not `autoFocus`, which would also move the focus when another type is chosen.
  useEffect(() => {
    if (hasFocus) box.current?.querySelector<HTMLElement>('input, textarea')?.focus()
  }, [hasFocus])
  const toggleRaw = () =>
    form.set(isRaw && isForm ? { isRaw: false, fields: parse(type, raw) ?? {} } : { isRaw: true, raw: content })
  const unfinished = isIncomplete && content === '' ? t.unfinished : undefined
  const problem = (isRaw ? undefined : form.problem('content')) ?? unfinished
  return (
    <Stack spacing={2} ref={box}>
      {isRaw || !isForm ? (
        <TextField
          {...form.text('raw', { label: shared.content })}
          required
          multiline
          minRows={3}
          maxRows={14}
          slotProps={{ htmlInput: { spellCheck: false } }}
        />
      ) : (
        <ContentFields type={type} fields={fields} onChange={(next) => form.set({ fields: next })} />
      )}
      {type !== 'TEXT' && type !== 'URL' && isForm && (
        <Button size="small" sx={{ alignSelf: 'flex-start' }} onClick={toggleRaw}>
          {isRaw ? t.asForm : t.raw}
        </Button>
      )}
      {problem !== undefined && (
        <FormHelperText error role="alert">
          {problem}
        </FormHelperText>
      )}
    </Stack>
  )
}

export function Publishing({ form, code }: PartProps & { code: QrCode | undefined }) {
  const t = useTexts(words)
  const mayPublish = useMay()('qrCodes.publish')
  const { isDynamic, isPublic } = form.values
  const isDead = isDynamic && !isPublic
  const slugHelp = code?.slug ? t.slugChange : code?.isDynamic ? t.slugOld : t.slugHelp
  return (
    <Card>
      <CardContent component={Stack} spacing={1.5}>
        <CheckField
          {...form.check('isDynamic', { label: t.dynamic, help: isDynamic ? t.dynamicHelp : t.fixedHelp })}
          onChange={(isOn) => form.set({ isDynamic: isOn, ...(isOn && mayPublish && { isPublic: true }) })}
        />
        {isDynamic && (
          <>
            <CheckField
              {...form.check('opensTarget', {
                label: t.opens,
                help: form.values.contentType === 'URL' ? t.opensHelp : t.opensOther,
              })}
            />
            <TextField
              {...form.text('slug', { label: t.slug, help: slugHelp })}
              required={false}
              placeholder={code?.slug ?? undefined}
              slotProps={{
                inputLabel: { shrink: true },
                input: { startAdornment: <InputAdornment position="start">/q/</InputAdornment> },
                htmlInput: { autoCapitalize: 'none', spellCheck: false },
              }}
            />
          </>
        )}
        {mayPublish && (
          <CheckField
            {...form.check('isPublic', { label: t.public, help: t.publicHelp })}
            {...(isDead && { error: t.publicNeeded })}
          />
        )}
      </CardContent>
    </Card>
  )
}

/** Folder, tags and remark. */
export function Details({ form }: PartProps) {
  const t = useTexts(words)
  const { label, value, onChange, error } = form.pick('tags')
  return (
    <Card>
      <CardContent component={Stack} spacing={2}>
        <Typography variant="h2">{t.more}</Typography>
        <FolderField {...form.pick('categoryId')} />
        <Autocomplete
          multiple
          freeSolo
          autoSelect
          options={[]}
          value={[...value]}
          onChange={(_, tags) => onChange([...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))])}
          renderInput={(params) => (
            <TextField {...params} label={label} error={error !== undefined} helperText={error ?? t.tagsHelp} />
          )}
        />
        <TextField {...form.text('remark')} multiline maxRows={6} />
      </CardContent>
    </Card>
  )
}

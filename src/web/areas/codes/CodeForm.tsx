/** The form of a code, new or not, with its picture beside it. */

import { Alert, Box, Card, CardContent, Typography } from '@mui/material'
import { useDeferredValue, useState } from 'react'
import { useNavigate } from 'react-router'

import type { QrCode, QrCodeDesign, QrCodeStyleInput, WrittenQrCode } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { createOrKeep, type DraftEntry } from '../../session/drafts.ts'
import { useMay, useOwnerQuery } from '../../session/session.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { Form } from '../../ui/Form.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { flatten } from '../../ui/tree/tree.ts'
import { useForm } from '../../ui/use-form.tsx'
import { bodyOf, contentAfter, contentOf, printedTarget, type Values, valuesOf } from './code-values.ts'
import { Content, Details, Publishing } from './CodeFormParts.tsx'
import { useFolders, useHasFolders } from './folders.ts'
import { DesignField } from './look/DesignField.tsx'
import { DesignPicture } from './look/DesignPicture.tsx'
import { useDesigns } from './look/designs.ts'
import { valuesOf as valuesOfDesign } from './look/look-values.ts'
import { showWarnings } from './show-warnings.ts'
import { StyleFields } from './StyleFields.tsx'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    create: 'Create code',
    created: 'Code created.',
    saved: 'Saved.',
    preview: 'Preview',
    previewEmpty: 'The code appears here as soon as you fill in the content.',
    previewDynamic: 'A link of the same length; yours is made when you save.',
    printed: (content: string) => `Codes that you have printed already keep leading to ${content}. Print them again.`,
    printedTitle: 'Save another picture?',
    bytes: (n: number) => `${number(n)} bytes. Fewer bytes make a code that is easier to scan.`,
    many: 'This is a lot for one code. Print it large, or make it dynamic: then the picture holds only a short link.',
  },
  zh: {
    create: '新建',
    created: '二维码已新建。',
    saved: '已保存。',
    preview: '预览',
    previewEmpty: '填写内容后，二维码会显示在这里。',
    previewDynamic: '示例链接，长度相同；保存后生成实际链接。',
    printed: (content: string) => `已印刷的二维码仍指向 ${content}，请重新印刷。`,
    printedTitle: '保存为不同的图片？',
    bytes: (n: number) => `${number(n)} 字节。字节越少越容易扫描。`,
    many: '内容较多，请打印得大一些，或改用活码：图片中只保存一个短链接。',
  },
})

/** Beyond these bytes a code of 3 cm has modules below 0.5 mm, which phones read poorly. */
const MANY_BYTES = 300
/** The beginning of a long content, such as a contact. */
const shortened = (content: string): string => (content.length > 100 ? `${content.slice(0, 100)}…` : content)

export interface CodeFormProps {
  /** Undefined: a new one. */
  code?: QrCode
  /** The values at the beginning, by default those of the code. */
  first?: Values
  /** A refused one, which the new code replaces. */
  draft?: DraftEntry | undefined
}

export function CodeForm({ code, first = valuesOf(code, null), draft }: CodeFormProps) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const owned = useOwnerQuery()
  const navigate = useNavigate()
  const mayPublish = useMay()('qrCodes.publish')
  const hasFolders = useHasFolders()
  const folders = flatten(useFolders().data ?? [])
  const designs = useDesigns().data?.items ?? []
  const standard = designs.find(({ isDefault }) => isDefault)?.id
  const form = useForm(code === undefined ? 'qrCodes.create' : 'qrCodes.update', first, {
    ...(code === undefined
      ? {
          // The operation is `qrCodes.create`, and a draft has no answer.
          send: async (input: object, _id: unknown, _headers: unknown, values: Values) =>
            (await createOrKeep('qrCode', input as { body: object }, values, draft)) as WrittenQrCode,
        }
      : { done: t.saved }),
    refreshes: ['qrCodes', 'categories'],
    paths: { raw: 'content', opensTarget: 'opens', style: [] },
    from: code && { version: code.version, values: (row: QrCode) => valuesOf(row, null) },
    names: { categoryId: (id) => folders.find((folder) => folder.id === id)?.path ?? '' },
    onDone(saved: WrittenQrCode | undefined) {
      if (saved === undefined) return void navigate('/codes', { replace: true })
      if (code === undefined) notify(t.created, 'success')
      showWarnings(saved)
      const { id, categoryId } = saved
      const another = categoryId === null ? '/codes/new' : `/codes/new?folder=${categoryId}`
      void navigate(`/codes/${id}`, { replace: true, ...(code === undefined && { state: { another } }) })
    },
    input: (values) => ({
      params: code === undefined ? {} : { id: code.id },
      query: owned,
      body: {
        ...bodyOf(values),
        designId: values.designId === undefined ? (standard ?? null) : values.designId,
        ...(hasFolders && { categoryId: values.categoryId }),
        ...(mayPublish && { isPublic: values.isPublic }),
      },
    }),
  })
  const { isDynamic, style } = form.values
  const designId = form.values.designId === undefined ? (standard ?? null) : form.values.designId
  const design = designs.find(({ id }) => id === designId)
  const content = contentOf(form.values)
  const after = contentAfter(form.values, code)
  /** As the form was filled in. Changes that others make meanwhile are not changes by this form. */
  const [start] = useState(code)
  const printed =
    start !== undefined && content !== '' && contentAfter(form.values, start) !== start.pictureContent
      ? shortened(printedTarget(start))
      : undefined
  const [isAsking, setAsking] = useState(false)
  const pictured = useDeferredValue(after)
  const submit: typeof form.submit = (event) => {
    event?.preventDefault()
    if (content === '') form.set({ isIncomplete: true })
    else if (printed !== undefined && !isAsking) setAsking(true)
    else {
      setAsking(false)
      form.submit(event)
    }
  }
  return (
    <Box
      sx={{
        display: 'grid',
        gap: { xs: 2, md: 3 },
        gridTemplateColumns: { md: 'minmax(0, 1fr) 320px' },
        alignItems: 'start',
      }}
    >
      <Box sx={{ minWidth: 0, order: { xs: 2, md: 1 } }}>
        <Form
          form={{ ...form, submit }}
          action={code === undefined ? t.create : shared.save}
          cancel={code === undefined ? '/codes' : `/codes/${code.id}`}
        >
          <Content form={form} isNew={code === undefined} />
          <Publishing form={form} code={code} />
          {printed !== undefined && <Alert severity="warning">{t.printed(printed)}</Alert>}
          <DesignField {...form.pick('designId')} value={designId} designs={designs} />
          <Card sx={design && { display: 'none' }}>
            <CardContent>
              <StyleFields style={style} onChange={(next) => form.set({ style: next })} />
            </CardContent>
          </Card>
          <Details form={form} />
        </Form>
        <ConfirmDialog
          isOpen={isAsking && printed !== undefined}
          title={t.printedTitle}
          text={printed && t.printed(printed)}
          action={shared.save}
          color="primary"
          onConfirm={submit}
          onClose={() => setAsking(false)}
        />
      </Box>
      <Preview
        content={pictured}
        style={style}
        design={design}
        isExample={isDynamic && after !== code?.pictureContent}
      />
    </Box>
  )
}

/** The picture while typing. On phones small above the form, otherwise large beside it. */
interface PreviewProps {
  content: string
  style: QrCodeStyleInput
  design: QrCodeDesign | undefined
  isExample: boolean
}

function Preview({ content, style, design, isExample }: PreviewProps) {
  const t = useTexts(words)
  const bytes = new TextEncoder().encode(content).length
  return (
    <Card
      component="section"
      aria-label={t.preview}
      sx={{ order: { xs: 1, md: 2 }, position: { md: 'sticky' }, top: { md: 72 } }}
    >
      <CardContent sx={{ display: 'flex', flexDirection: { xs: 'row', md: 'column' }, gap: 2, alignItems: 'center' }}>
        {content === '' ? (
          <Typography color="text.secondary" sx={{ py: { md: 10 }, textAlign: { md: 'center' } }}>
            {t.previewEmpty}
          </Typography>
        ) : (
          <>
            <Box sx={{ width: { xs: 120, md: '100%' }, flexShrink: 0 }}>
              {design === undefined ? (
                <QrPicture content={content} style={style} alt={t.preview} width="100%" sx={{ borderRadius: 1 }} />
              ) : (
                <DesignPicture content={content} look={valuesOfDesign(design).look} alt={t.preview} width="100%" />
              )}
            </Box>
            <Typography variant="body2" color="text.secondary">
              {isExample ? t.previewDynamic : bytes > MANY_BYTES ? t.many : t.bytes(bytes)}
            </Typography>
          </>
        )}
      </CardContent>
    </Card>
  )
}

/** The form of a code, new or not, with its picture beside it. */

import {
  Autocomplete,
  Box,
  Button,
  Card,
  CardContent,
  Chip,
  FormControlLabel,
  FormHelperText,
  MenuItem,
  Stack,
  Switch,
  TextField,
  Typography,
} from '@mui/material'
import { type FormEvent, useDeferredValue, useState } from 'react'
import { Link } from 'react-router'

import type { ApiError } from '../../api/errors.ts'
import type { ContentType, CreateQrCode, QrCode, QrCodeStyleInput } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { useEnum } from '../../i18n/enums.ts'
import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { flatten } from '../../ui/tree/tree.ts'
import { buildContent, type Fields, FORM_TYPES, isFormType, parse, parseContent } from './content.ts'
import { ContentFields } from './ContentFields.tsx'
import { useFolders, useHasFolders } from './folders.ts'
import { StyleFields } from './StyleFields.tsx'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    ...common.en,
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
    more: 'Folder, tags and remark',
    tagsHelp: 'Press Enter after each tag',
    preview: 'Preview',
    previewEmpty: 'The code appears here as soon as you fill in the content.',
    previewDynamic: 'A link of the same length; yours is made when you save.',
    bytes: (n: number) => `${number(n)} bytes. Fewer bytes make a code that is easier to scan.`,
    many: 'This is a lot for one code. Print it large, or make it dynamic: then the picture holds only a short link.',
    unfinished: 'Fill in the required fields of the content.',
  },
  zh: {
    ...common.zh,
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
    more: '文件夹、标签和备注',
    tagsHelp: '每输入一个标签按回车',
    preview: '预览',
    previewEmpty: '填写内容后，二维码会显示在这里。',
    previewDynamic: '示例链接，长度相同；保存后生成实际链接。',
    bytes: (n: number) => `${number(n)} 字节。字节越少越容易扫描。`,
    many: '内容较多，请打印得大一些，或改用活码：图片中只保存一个短链接。',
    unfinished: '请填写内容的必填项。',
  },
})

/** Beyond these bytes a code of 3 cm has modules below 0.5 mm, which phones read poorly. */
const MANY_BYTES = 300
/** A link as long as those that the server generates. */
const exampleLink = (): string => `${location.origin}/public/qr/00000000-0000-4000-8000-000000000000`

export interface CodeFormProps {
  /** Undefined: a new one. */
  code?: QrCode
  /** Of a new code. */
  initialFolder?: number | null
  action: string
  cancelTo: string
  isBusy: boolean
  error: ApiError | null
  onSubmit: (body: CreateQrCode) => void
}

export function CodeForm({ code, initialFolder = null, action, cancelTo, isBusy, error, onSubmit }: CodeFormProps) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const typeName = useEnum('contentType')
  const may = useMay()
  const hasFolders = useHasFolders()
  const folders = useFolders()
  const [name, setName] = useState(code?.name ?? '')
  const [type, setType] = useState<ContentType>(code?.contentType ?? 'URL')
  const [fields, setFields] = useState<Fields>(() => initialFields(code))
  /** The content as text, where the form cannot write it. */
  const [raw, setRaw] = useState<string | undefined>(() =>
    code === undefined || initialFields(code)['raw'] === undefined ? undefined : code.content,
  )
  const [isDynamic, setDynamic] = useState(code?.isDynamic ?? false)
  const [isPublic, setPublic] = useState(code?.isPublic ?? false)
  const [style, setStyle] = useState<QrCodeStyleInput>(() => initialStyle(code))
  const [categoryId, setCategory] = useState(code === undefined ? initialFolder : code.categoryId)
  const [tags, setTags] = useState<readonly string[]>(code?.tags ?? [])
  const [remark, setRemark] = useState(code?.remark ?? '')
  const [isIncomplete, setIncomplete] = useState(false)

  const content = raw ?? (isFormType(type) ? buildContent(type, fields) : '')
  const pictured = useDeferredValue(isDynamic && content !== '' ? (code?.publicUrl ?? exampleLink()) : content)
  const mayPublish = may('qrCodes.publish')

  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIncomplete(content === '')
    if (content === '') return
    onSubmit({
      name: name.trim() || defaultName(content),
      content,
      contentType: type,
      isDynamic,
      style,
      tags: [...tags],
      remark,
      ...(hasFolders && { categoryId }),
      ...(mayPublish && { isPublic }),
    })
  }
  const chooseType = (next: ContentType) => {
    setType(next)
    setRaw(undefined)
    setIncomplete(false)
  }
  const problem = (field: string) => error?.problem(field)
  const isAtField = ['name', 'content', 'tags', 'remark', 'style'].some((field) => problem(field) !== undefined)
  return (
    <Box
      component="form"
      onSubmit={submit}
      sx={{
        display: 'grid',
        gap: { xs: 2, md: 3 },
        gridTemplateColumns: { md: 'minmax(0, 1fr) 320px' },
        alignItems: 'start',
      }}
    >
      <Stack spacing={2} sx={{ minWidth: 0, order: { xs: 2, md: 1 } }}>
        <Card>
          <CardContent component={Stack} spacing={2}>
            <Typography variant="h2">{t.what}</Typography>
            <Stack
              direction="row"
              spacing={1}
              useFlexGap
              sx={{ flexWrap: 'wrap', border: 0, m: 0, p: 0 }}
              component="fieldset"
              aria-label={shared.type}
            >
              {[...FORM_TYPES, ...(isFormType(type) ? [] : [type])].map((each) => (
                <Chip
                  key={each}
                  label={typeName(each)}
                  color={each === type ? 'primary' : 'default'}
                  variant={each === type ? 'filled' : 'outlined'}
                  onClick={() => chooseType(each)}
                  aria-pressed={each === type}
                  sx={{ height: 40, borderRadius: 20, px: 0.5 }}
                />
              ))}
            </Stack>
            {raw === undefined && isFormType(type) ? (
              <ContentFields type={type} fields={fields} onChange={setFields} />
            ) : (
              <TextField
                label={shared.content}
                value={raw ?? ''}
                onChange={(event) => setRaw(event.target.value)}
                required
                multiline
                minRows={3}
                maxRows={14}
                slotProps={{ htmlInput: { spellCheck: false } }}
              />
            )}
            {type !== 'TEXT' && type !== 'URL' && isFormType(type) && (
              <Button
                size="small"
                sx={{ alignSelf: 'flex-start' }}
                onClick={() => {
                  if (raw !== undefined) setFields(parse(type, raw) ?? {})
                  setRaw(raw === undefined ? content : undefined)
                }}
              >
                {raw === undefined ? t.raw : t.asForm}
              </Button>
            )}
            {(problem('content') ?? (isIncomplete && content === '' ? t.unfinished : undefined)) !== undefined && (
              <FormHelperText error role="alert">
                {problem('content') ?? t.unfinished}
              </FormHelperText>
            )}
            <TextField
              label={shared.name}
              value={name}
              onChange={(event) => setName(event.target.value)}
              placeholder={defaultName(content)}
              error={problem('name') !== undefined}
              helperText={problem('name') ?? t.nameHelp}
              slotProps={{ htmlInput: { maxLength: 100 }, inputLabel: { shrink: true } }}
            />
          </CardContent>
        </Card>
        <Card>
          <CardContent component={Stack} spacing={1.5}>
            <Box>
              <FormControlLabel
                control={
                  <Switch
                    checked={isDynamic}
                    onChange={({ target: { checked } }) => {
                      setDynamic(checked)
                      if (checked && mayPublish) setPublic(true)
                    }}
                  />
                }
                label={t.dynamic}
              />
              <FormHelperText>{isDynamic ? t.dynamicHelp : t.fixedHelp}</FormHelperText>
            </Box>
            {mayPublish && (
              <Box>
                <FormControlLabel
                  control={<Switch checked={isPublic} onChange={(event) => setPublic(event.target.checked)} />}
                  label={t.public}
                />
                <FormHelperText error={isDynamic && !isPublic}>
                  {isDynamic && !isPublic ? t.publicNeeded : t.publicHelp}
                </FormHelperText>
              </Box>
            )}
          </CardContent>
        </Card>
        <Card>
          <CardContent>
            <StyleFields style={style} onChange={setStyle} />
          </CardContent>
        </Card>
        <Card>
          <CardContent component={Stack} spacing={2}>
            <Typography variant="h2">{t.more}</Typography>
            {hasFolders && (
              <TextField
                select
                label={shared.folder}
                value={folders.data === undefined ? 0 : (categoryId ?? 0)}
                onChange={({ target }) => setCategory(Number(target.value) === 0 ? null : Number(target.value))}
              >
                <MenuItem value={0}>{shared.noFolder}</MenuItem>
                {flatten(folders.data ?? []).map(({ node, path }) => (
                  <MenuItem key={node.id} value={node.id}>
                    {path}
                  </MenuItem>
                ))}
              </TextField>
            )}
            <Autocomplete
              multiple
              freeSolo
              autoSelect
              options={[]}
              value={[...tags]}
              onChange={(_, value) =>
                setTags([...new Set(value.map((tag) => tag.trim().slice(0, 50)).filter((tag) => tag !== ''))])
              }
              renderInput={(params) => (
                <TextField
                  {...params}
                  label={shared.tags}
                  error={problem('tags') !== undefined}
                  helperText={problem('tags') ?? t.tagsHelp}
                />
              )}
            />
            <TextField
              label={shared.remark}
              value={remark}
              onChange={(event) => setRemark(event.target.value)}
              multiline
              maxRows={6}
              error={problem('remark') !== undefined}
              helperText={problem('remark')}
            />
          </CardContent>
        </Card>
        {error !== null && !isAtField && <ErrorNotice error={error} />}
        <Stack direction="row" spacing={1} sx={{ justifyContent: 'flex-end' }}>
          <Button component={Link} to={cancelTo}>
            {t.cancel}
          </Button>
          <Button type="submit" variant="contained" loading={isBusy}>
            {action}
          </Button>
        </Stack>
      </Stack>
      <Preview content={pictured} style={style} isExample={isDynamic && code === undefined} />
    </Box>
  )
}

/** The picture while typing. On phones small above the form, otherwise large beside it. */
function Preview({ content, style, isExample }: { content: string; style: QrCodeStyleInput; isExample: boolean }) {
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
              <QrPicture content={content} style={style} alt={t.preview} width="100%" sx={{ borderRadius: 1 }} />
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

/** `raw` is set if the form could not write the content of the code again. */
function initialFields(code: QrCode | undefined): Fields {
  if (code === undefined) return {}
  const parsed = isFormType(code.contentType) ? parseContent(code.contentType, code.content) : undefined
  return parsed ?? { raw: code.content }
}

/** Values that are the defaults stay absent, so that the level follows the content. */
function initialStyle(code: QrCode | undefined): QrCodeStyleInput {
  if (code === undefined) return {}
  const { fg, bg, level, margin } = code.style
  return { fg, bg, margin, ...(level !== 'M' && { level }) }
}

/** The name of a code whose author gives none: the host of a link, or the begin of the content. */
function defaultName(content: string): string {
  const host = /^https?:\/\//i.test(content) ? URL.parse(content)?.host : undefined
  return host ?? (content.split('\n').find((line) => line.trim() !== '') ?? '').slice(0, 60)
}

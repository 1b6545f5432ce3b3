/** Creates many codes from pasted lines, for example from a spreadsheet. */

import { CheckCircleOutlined } from '@mui/icons-material'
import { Alert, Box, Button, Card, CardContent, Stack, TextField, Typography } from '@mui/material'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'

import type { QrCode } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { labelled } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { EmptyState } from '../../ui/Answer.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { Form } from '../../ui/Form.tsx'
import { useOwnedPath } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { FolderField } from './FolderField.tsx'
import { useBatch } from './use-batch.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Create many codes',
    help: 'One code a line. Copy two columns of a spreadsheet for name and content, or paste only contents.',
    lines: 'Lines',
    example: 'Room 101\thttps://example.org/rooms/101\nRoom 102\thttps://example.org/rooms/102',
    count: (n: number) => (n === 1 ? '1 code' : `${n} codes`),
    tooMany: (n: number) => `At most ${n} codes at once. Create the first ${n}, then the others.`,
    create: (n: number) => (n === 0 ? 'Create' : `Create ${n === 1 ? '1 code' : `${n} codes`}`),
    dynamic: 'Dynamic and public: changeable after printing',
    dynamicHelp: 'The pictures hold links to this server, which lead to the contents.',
    done: (n: number) => (n === 1 ? 'One code created' : `${n} codes created`),
    doneText: 'Print them as labels now, or find them in the list.',
    print: 'Print labels',
    list: 'To my codes',
    line: (n: number) => `Line ${n}`,
    more: (n: number) => `and ${n} more`,
    lost: 'The answer of the server did not arrive. Press the button again when you are connected: codes that exist already are not created twice.',
  },
  zh: {
    ...common.zh,
    title: '批量新建二维码',
    help: '每行一个二维码。可从表格复制“名称、内容”两列，或只粘贴内容。',
    lines: '内容行',
    example: '101 教室\thttps://example.org/rooms/101\n102 教室\thttps://example.org/rooms/102',
    count: (n: number) => `共 ${n} 个`,
    tooMany: (n: number) => `一次最多 ${n} 个，请先新建前 ${n} 个。`,
    create: (n: number) => (n === 0 ? '新建' : `新建 ${n} 个`),
    dynamic: '活码（印刷后可修改），并公开',
    dynamicHelp: '图片中是指向本服务器的链接，再转到内容。',
    done: (n: number) => `已新建 ${n} 个二维码`,
    doneText: '现在可以打印标签，或在列表中查看。',
    print: '打印标签',
    list: '前往我的二维码',
    line: (n: number) => `第 ${n} 行`,
    more: (n: number) => `另有 ${n} 个`,
    lost: '未收到服务器的答复。恢复连接后请再点一次按钮，已新建的二维码不会重复新建。',
  },
})

/** Codes that the server creates at once. */
const MAX_BATCH = 500
/** Codes in the preview. */
const SHOWN = 6

interface Item {
  name: string
  content: string
  /** Number of the pasted line, from 1. */
  line: number
}

/** Columns are separated by tabs, as spreadsheets copy them. */
const itemsOf = (text: string): Item[] =>
  text.split(/\r?\n/).flatMap((raw, i) => {
    const cells = raw.split('\t').map((cell) => cell.trim())
    const content = cells.length > 1 ? cells[1]! : cells[0]!
    if (content === '') return []
    return [{ name: (cells.length > 1 && cells[0]) || content.slice(0, 100), content, line: i + 1 }]
  })

export default function BatchCreate() {
  const t = useTexts(words)
  const may = useMay()
  const [created, setCreated] = useState<readonly QrCode[]>()
  const { send, sent } = useBatch()
  const form = useForm(
    'qrCodes.createBatch',
    { text: '', categoryId: null as number | null, isDynamic: false },
    {
      refreshes: ['qrCodes', 'categories'],
      send,
      onDone: ({ items }) => setCreated(items),
      input: ({ text, categoryId, isDynamic }) => ({
        body: {
          items: itemsOf(text).map(({ name, content }) => ({
            name,
            content,
            ...(categoryId !== null && { categoryId }),
            ...(isDynamic && { isDynamic, isPublic: may('qrCodes.publish') }),
          })),
        },
      }),
    },
  )
  const { error, values } = form
  const items = useMemo(() => itemsOf(values.text), [values.text])
  if (created !== undefined) return <Created codes={created} />
  const problems = (error?.details ?? []).flatMap(({ path, message }) => {
    const at = Number(/^body\.items\.(\d+)/.exec(path)?.[1])
    const bad = sent[at]
    const item = items.find(({ name, content }) => name === bad?.name && content === bad.content)
    return bad === undefined ? [] : [{ line: item?.line ?? at + 1, message }]
  })
  const isTooMany = items.length > MAX_BATCH
  return (
    <Page title={t.title} back="/codes">
      <Card>
        <CardContent>
          <Form
            form={problems.length === 0 ? form : { ...form, error: null }}
            action={t.create(items.length)}
            isDisabled={items.length === 0 || isTooMany}
            cancel="/codes"
          >
            <Typography color="text.secondary">{t.help}</Typography>
            <TextField
              {...form.text('text', { label: t.lines })}
              placeholder={t.example}
              multiline
              minRows={6}
              maxRows={16}
              required
              error={isTooMany}
              helperText={isTooMany ? t.tooMany(MAX_BATCH) : t.count(items.length)}
              slotProps={{ inputLabel: { shrink: true }, htmlInput: { spellCheck: false } }}
            />
            {items.length > 0 && <Preview items={items} />}
            <FolderField {...form.pick('categoryId')} />
            {may('qrCodes.publish') && (
              <CheckField {...form.check('isDynamic', { label: t.dynamic, help: t.dynamicHelp })} />
            )}
            {problems.map(({ line, message }) => (
              <Typography key={line + message} color="error" role="alert">
                {labelled(t.line(line), message)}
              </Typography>
            ))}
            {error?.status === 0 && <Alert severity="info">{t.lost}</Alert>}
          </Form>
        </CardContent>
      </Card>
    </Page>
  )
}

function Preview({ items }: { items: readonly Item[] }) {
  const t = useTexts(words)
  return (
    <Stack direction="row" spacing={2} useFlexGap sx={{ flexWrap: 'wrap' }}>
      {items.slice(0, SHOWN).map(({ name, content, line }) => (
        <Box key={line} sx={{ width: 96 }}>
          <QrPicture content={content} alt="" width={96} sx={{ borderRadius: 1 }} />
          <Typography variant="caption" component="p" noWrap>
            {name}
          </Typography>
        </Box>
      ))}
      {items.length > SHOWN && (
        <Typography color="text.secondary" sx={{ alignSelf: 'center' }}>
          {t.more(items.length - SHOWN)}
        </Typography>
      )}
    </Stack>
  )
}

function Created({ codes }: { codes: readonly QrCode[] }) {
  const t = useTexts(words)
  const ownedPath = useOwnedPath()
  return (
    <Page title={t.title} back="/codes">
      <EmptyState
        icon={CheckCircleOutlined}
        title={t.done(codes.length)}
        text={t.doneText}
        action={
          <Stack direction="row" spacing={1}>
            <Button component={Link} to="/codes?sort=-createdAt">
              {t.list}
            </Button>
            <Button
              variant="contained"
              component={Link}
              to={ownedPath(`/codes/print?ids=${codes.map(({ id }) => id).join(',')}`)}
            >
              {t.print}
            </Button>
          </Stack>
        }
      />
    </Page>
  )
}

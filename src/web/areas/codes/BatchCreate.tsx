/** Creates many codes from pasted lines, for example from a spreadsheet. */

import { CheckCircleOutlined } from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Card,
  CardContent,
  FormControlLabel,
  MenuItem,
  Stack,
  Switch,
  TextField,
  Typography,
} from '@mui/material'
import { type FormEvent, useMemo, useState } from 'react'
import { Link } from 'react-router'

import type { QrCode } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { EmptyState, ErrorNotice } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { flatten } from '../../ui/tree/tree.ts'
import { useFolders, useHasFolders } from './folders.ts'
import { useBatch } from './use-batch.ts'
import { codeWords } from './words.ts'

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
  const shared = useTexts(codeWords)
  const may = useMay()
  const hasFolders = useHasFolders()
  const folders = useFolders()
  const [text, setText] = useState('')
  const [categoryId, setCategory] = useState(0)
  const [isDynamic, setDynamic] = useState(false)
  const [created, setCreated] = useState<readonly QrCode[]>()
  const items = useMemo(() => itemsOf(text), [text])
  const { create, sent } = useBatch(setCreated)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(
      items.map(({ name, content }) => ({
        name,
        content,
        ...(categoryId !== 0 && { categoryId }),
        ...(isDynamic && { isDynamic, isPublic: may('qrCodes.publish') }),
      })),
    )
  }
  if (created !== undefined) return <Created codes={created} />
  const problems = (create.error?.details ?? []).flatMap(({ path, message }) => {
    const at = Number(/^body\.items\.(\d+)/.exec(path)?.[1])
    const bad = sent[at]
    const item = items.find(({ name, content }) => name === bad?.name && content === bad.content)
    return bad === undefined ? [] : [{ line: item?.line ?? at + 1, message }]
  })
  return (
    <Page title={t.title} back="/codes" width={900}>
      <Card component="form" onSubmit={submit}>
        <CardContent component={Stack} spacing={2}>
          <Typography color="text.secondary">{t.help}</Typography>
          <TextField
            label={t.lines}
            value={text}
            onChange={(event) => setText(event.target.value)}
            placeholder={t.example}
            multiline
            minRows={6}
            maxRows={16}
            required
            error={items.length > MAX_BATCH}
            helperText={items.length > MAX_BATCH ? t.tooMany(MAX_BATCH) : t.count(items.length)}
            slotProps={{ inputLabel: { shrink: true }, htmlInput: { spellCheck: false } }}
          />
          {items.length > 0 && <Preview items={items} />}
          {hasFolders && (
            <TextField
              select
              label={shared.folder}
              value={categoryId}
              onChange={({ target }) => setCategory(Number(target.value))}
            >
              <MenuItem value={0}>{shared.noFolder}</MenuItem>
              {flatten(folders.data ?? []).map(({ node, path }) => (
                <MenuItem key={node.id} value={node.id}>
                  {path}
                </MenuItem>
              ))}
            </TextField>
          )}
          {may('qrCodes.publish') && (
            <Box>
              <FormControlLabel
                control={<Switch checked={isDynamic} onChange={(event) => setDynamic(event.target.checked)} />}
                label={t.dynamic}
              />
              <Typography variant="body2" color="text.secondary">
                {t.dynamicHelp}
              </Typography>
            </Box>
          )}
          {problems.map(({ line, message }) => (
            <Typography key={line + message} color="error" role="alert">
              {t.line(line)}: {message}
            </Typography>
          ))}
          {create.error !== null && problems.length === 0 && <ErrorNotice error={create.error} />}
          {create.error?.status === 0 && <Alert severity="info">{t.lost}</Alert>}
          <Stack direction="row" spacing={1} sx={{ justifyContent: 'flex-end' }}>
            <Button component={Link} to="/codes">
              {t.cancel}
            </Button>
            <Button
              type="submit"
              variant="contained"
              loading={create.isPending}
              disabled={items.length === 0 || items.length > MAX_BATCH}
            >
              {t.create(items.length)}
            </Button>
          </Stack>
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
            <Button variant="contained" component={Link} to={`/codes/print?ids=${codes.map(({ id }) => id).join(',')}`}>
              {t.print}
            </Button>
          </Stack>
        }
      />
    </Page>
  )
}

/**
 * An editor for Markdown: a toolbar, and a preview that the server renders, as the readers will see it. On wide screens both are side by
 * side, on phones one of them is shown.
 */

import {
  Code,
  FormatBold,
  FormatItalic,
  FormatListBulleted,
  FormatListNumbered,
  FormatQuote,
  InsertLink,
  Title as TitleIcon,
} from '@mui/icons-material'
import { Box, IconButton, Stack, Tab, Tabs, TextField, Tooltip, Typography } from '@mui/material'
import { type ReactNode, useEffect, useRef, useState } from 'react'

import { callWith } from '../api/client.ts'
import { ApiError } from '../api/errors.ts'
import type { MarkdownPreview, OperationId } from '../api/types.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'
import { Rendered } from './Rendered.tsx'
import { useIsNarrow } from './use-is-phone.ts'

const words = texts({
  en: {
    write: 'Write',
    preview: 'Preview',
    empty: 'The text appears here as its readers will see it.',
    later: 'The preview pauses for a moment, because it was refreshed very often.',
    toolbar: 'Format',
    bold: 'Bold',
    italic: 'Italic',
    heading: 'Heading',
    list: 'List',
    numbered: 'Numbered list',
    quote: 'Quote',
    code: 'Code',
    link: 'Link',
    text: 'text',
  },
  zh: {
    write: '编辑',
    preview: '预览',
    empty: '这里会显示读者看到的效果。',
    later: '预览刷新过于频繁，请稍候。',
    toolbar: '格式',
    bold: '加粗',
    italic: '斜体',
    heading: '标题',
    list: '列表',
    numbered: '编号列表',
    quote: '引用',
    code: '代码',
    link: '链接',
    text: '文字',
  },
})

type Render = (source: string, signal: AbortSignal) => Promise<string>

const renderForAdmins: Render = async (content, signal) => {
  const preview = await callWith('admin.markdown.render', { body: { content } }, { signal })
  return (preview as MarkdownPreview).contentHtml
}

export interface MarkdownEditorProps {
  label: string
  value: string
  onChange: (value: string) => void
  /** The message of the server about this field. */
  error?: string | undefined
  required?: boolean
  /** Lines of the input before it scrolls. */
  rows?: number
  /** The operation that `render` calls; who may not call it sees no preview. By default that of the texts of administrators. */
  operation?: OperationId
  render?: Render
  /** Instead of the text as `render` answers it. */
  preview?: ReactNode
}

export function MarkdownEditor({
  operation = 'admin.markdown.render',
  render = renderForAdmins,
  ...props
}: MarkdownEditorProps) {
  const t = useTexts(words)
  const may = useMay()
  const isWide = !useIsNarrow()
  const [tab, setTab] = useState<'write' | 'preview'>('write')
  const preview = props.preview ?? (may(operation) && <Preview source={props.value} render={render} />)
  if (!preview) return <Input {...props} />
  if (isWide)
    return (
      <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 2, alignItems: 'stretch' }}>
        <Input {...props} />
        <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 1, p: 2, minWidth: 0 }}>{preview}</Box>
      </Box>
    )
  return (
    <Box>
      <Tabs value={tab} onChange={(_, chosen: typeof tab) => setTab(chosen)} aria-label={props.label}>
        <Tab value="write" label={t.write} />
        <Tab value="preview" label={t.preview} />
      </Tabs>
      <Box sx={{ pt: 1.5 }}>{tab === 'write' ? <Input {...props} /> : preview}</Box>
    </Box>
  )
}

/** Marks around the selection, or at the start of each of its lines. */
type Format = { readonly around: readonly [string, string] } | { readonly before: (line: number) => string }

function Input({ label, value, onChange, error, required, rows = 14 }: MarkdownEditorProps) {
  const t = useTexts(words)
  const input = useRef<HTMLTextAreaElement>(null)
  const apply = (format: Format) => {
    const area = input.current
    if (area === null) return
    const { text, from, to } = formatted(value, area.selectionStart, area.selectionEnd, format, t.text)
    onChange(text)
    // The selection can be set when the new text is in the input.
    requestAnimationFrame(() => {
      area.focus()
      area.setSelectionRange(from, to)
    })
  }
  const tools = [
    { name: t.bold, icon: FormatBold, format: { around: ['**', '**'] } },
    { name: t.italic, icon: FormatItalic, format: { around: ['*', '*'] } },
    { name: t.heading, icon: TitleIcon, format: { before: () => '## ' } },
    { name: t.list, icon: FormatListBulleted, format: { before: () => '- ' } },
    { name: t.numbered, icon: FormatListNumbered, format: { before: (line) => `${line + 1}. ` } },
    { name: t.quote, icon: FormatQuote, format: { before: () => '> ' } },
    { name: t.code, icon: Code, format: { around: ['`', '`'] } },
    { name: t.link, icon: InsertLink, format: { around: ['[', '](https://)'] } },
  ] as const satisfies readonly { name: string; icon: unknown; format: Format }[]
  return (
    <Box sx={{ minWidth: 0 }}>
      <Stack
        direction="row"
        role="toolbar"
        aria-label={t.toolbar}
        // Eight buttons for fingers take 352 pixels, and a card on a phone has 332.
        sx={{ mb: 1, mx: { xs: -1.25, sm: 0 }, flexWrap: 'wrap' }}
      >
        {tools.map(({ name, icon: Icon, format }) => (
          <Tooltip key={name} title={name}>
            <IconButton
              aria-label={name}
              onClick={() => apply(format)}
              sx={{ flex: '0 1 44px', minWidth: 0, height: 44, px: 0 }}
            >
              <Icon />
            </IconButton>
          </Tooltip>
        ))}
      </Stack>
      <TextField
        fullWidth
        multiline
        minRows={rows}
        maxRows={rows * 2}
        label={label}
        value={value}
        required={required ?? false}
        error={error !== undefined}
        helperText={error}
        inputRef={input}
        onChange={(event) => onChange(event.target.value)}
        slotProps={{ htmlInput: { style: { fontFamily: 'ui-monospace, monospace', fontSize: '0.9rem' } } }}
      />
    </Box>
  )
}

function formatted(source: string, from: number, to: number, format: Format, placeholder: string) {
  if ('around' in format) {
    const [open, close] = format.around
    const chosen = source.slice(from, to) || placeholder
    const text = source.slice(0, from) + open + chosen + close + source.slice(to)
    return { text, from: from + open.length, to: from + open.length + chosen.length }
  }
  const start = source.lastIndexOf('\n', from - 1) + 1
  const lines = source.slice(start, to).split('\n')
  const changed = lines.map((line, i) => format.before(i) + line).join('\n')
  const text = source.slice(0, start) + changed + source.slice(to)
  const end = start + changed.length
  return { text, from: end, to: end }
}

/** The server renders 60 previews a minute for each user. */
const SPACING = 1_100
const PAUSE = 5_000

function Preview({ source, render }: { source: string; render: Render }) {
  const t = useTexts(words)
  const [html, setHtml] = useState('')
  const [isPaused, setPaused] = useState(false)
  const last = useRef(0)
  const isEmpty = source.trim() === ''
  useEffect(() => {
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = async () => {
      last.current = Date.now()
      try {
        setHtml(await render(source, controller.signal))
        setPaused(false)
      } catch (error) {
        if (controller.signal.aborted) return
        setPaused(error instanceof ApiError && error.status === 429)
        timer = setTimeout(() => void refresh(), PAUSE)
      }
    }
    timer = isEmpty ? undefined : setTimeout(() => void refresh(), Math.max(300, last.current + SPACING - Date.now()))
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [source, isEmpty, render])
  return (
    <Box component="section" aria-label={t.preview}>
      {isPaused && (
        <Typography variant="body2" color="text.secondary">
          {t.later}
        </Typography>
      )}
      {isEmpty || html === '' ? <Typography color="text.secondary">{t.empty}</Typography> : <Rendered html={html} />}
    </Box>
  )
}

/** The command palette: one field that finds pages, actions and things, and opens them. On phones it fills the screen. */

import { Close, Search } from '@mui/icons-material'
import { Alert, Box, Dialog, IconButton, InputBase, LinearProgress, Typography } from '@mui/material'

import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import { Results } from './Results.tsx'
import { type PaletteProps, usePalette } from './use-palette.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Search everything',
    placeholder: 'Codes, assets, people, pages, actions …',
    person: 'Name of the person',
    results: 'Results',
    searching: 'Searching',
    count: (n: number) => (n === 1 ? '1 result' : `${n} results`),
    nothing: 'Nothing found.',
    away: 'The server cannot be reached. Pages, actions and recent things are found; all else needs a connection.',
    failed: 'Some lists could not be searched. Try again in a moment.',
    keys: (newTab: string) => `↑ ↓ choose · Enter open · ${newTab} new tab · Esc close`,
    second: (label: string) => `Shift Enter: ${label}`,
  },
  zh: {
    ...common.zh,
    title: '搜索全部',
    placeholder: '二维码、资产、联系人、页面、操作……',
    person: '对方的名称',
    results: '结果',
    searching: '正在搜索',
    count: (n: number) => `${n} 个结果`,
    nothing: '没有找到。',
    away: '无法连接服务器。仍可查找页面、操作和最近打开的内容，其他内容需要联网。',
    failed: '部分列表无法搜索，请稍后再试。',
    keys: (newTab: string) => `↑ ↓ 选择 · Enter 打开 · ${newTab} 新标签页 · Esc 关闭`,
    second: (label: string) => `Shift Enter：${label}`,
  },
})

export default function Palette(props: PaletteProps) {
  const t = useTexts(words)
  const isPhone = useIsPhone()
  const { text, isForPeople, entries, found, active, setMoved, open, ...palette } = usePalette(props)
  const status = found.isSearching ? t.searching : entries.length === 0 ? t.nothing : t.count(entries.length)
  return (
    <Dialog
      open
      onClose={() => props.onClose(false)}
      fullScreen={isPhone}
      fullWidth
      maxWidth="sm"
      transitionDuration={0}
      // The focus is given back after the page that was opened had the chance to take it.
      disableRestoreFocus
      slotProps={{
        container: { sx: { alignItems: 'flex-start' } },
        paper: { 'aria-label': t.title, sx: { mt: { sm: '10vh' }, maxHeight: { sm: '75vh' } } },
      }}
    >
      <Box
        sx={{ display: 'flex', alignItems: 'center', gap: 1, pl: 2, pr: 0.5, borderBottom: 1, borderColor: 'divider' }}
      >
        <Search color="action" />
        <InputBase
          inputRef={palette.input}
          autoFocus
          fullWidth
          value={palette.typed}
          placeholder={isForPeople ? t.person : t.placeholder}
          onChange={({ target }) => palette.type(target.value)}
          onKeyDown={palette.onKeyDown}
          onCompositionStart={() => palette.setComposing(true)}
          onCompositionEnd={() => palette.setComposing(false)}
          // Smaller letters make Safari on phones zoom in.
          sx={{ fontSize: '1rem', minHeight: 56 }}
          slotProps={{
            input: {
              role: 'combobox',
              'aria-label': isForPeople ? t.person : t.title,
              'aria-expanded': true,
              'aria-controls': 'palette-results',
              'aria-autocomplete': 'list',
              'aria-activedescendant': active?.id,
              'aria-describedby': 'palette-keys',
              maxLength: 100,
              autoCapitalize: 'none',
              autoComplete: 'off',
              spellCheck: false,
              enterKeyHint: 'go',
            },
          }}
        />
        <IconButton aria-label={t.close} onClick={() => props.onClose(false)} sx={{ width: 44, height: 44 }}>
          <Close />
        </IconButton>
      </Box>
      <Box sx={{ height: 2 }}>
        {found.isSearching && <LinearProgress aria-label={t.searching} sx={{ height: 2 }} />}
      </Box>
      {found.isAway && (
        <Alert severity="info" sx={{ mx: 1, mt: 0.5 }}>
          {t.away}
        </Alert>
      )}
      {found.hasFailed && (
        <Alert severity="warning" sx={{ mx: 1, mt: 0.5 }}>
          {t.failed}
        </Alert>
      )}
      <Results entries={entries} active={active?.id} label={t.results} onMove={setMoved} onOpen={open} />
      {entries.length === 0 && !found.isSearching && (
        <Typography color="text.secondary" sx={{ p: 3, textAlign: 'center' }}>
          {t.nothing}
        </Typography>
      )}
      <Typography
        variant="caption"
        id="palette-keys"
        color="text.secondary"
        sx={{ px: 2, py: 1, borderTop: 1, borderColor: 'divider', display: { xs: 'none', sm: 'block' } }}
      >
        {t.keys(NEW_TAB)}
        {active?.second && ` · ${t.second(active.second.label)}`}
      </Typography>
      <output className="visually-hidden">{text === '' ? '' : status}</output>
    </Dialog>
  )
}

const NEW_TAB = /Mac/.test(navigator.platform) ? '⌘ Enter' : 'Ctrl Enter'

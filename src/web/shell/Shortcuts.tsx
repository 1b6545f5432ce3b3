/**
 * Keys for people who work at a keyboard: Ctrl K and `/` open the command palette, `f` goes to the search field of the page, `n` follows
 * the page's "new" button, `g` and a letter open a part, `?` shows this list. While somebody types, only Ctrl K works.
 */

import { Dialog, DialogContent, DialogTitle, Table, TableBody, TableCell, TableRow } from '@mui/material'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'
import { isTyping } from '../ui/is-typing.ts'
import { isPaletteKey, openPalette, PALETTE_KEY, togglePalette } from './palette-state.ts'

const words = texts({
  en: {
    title: 'Keyboard shortcuts',
    everything: 'Search everything',
    search: 'Search on this page',
    target: 'Change the target of the focused code',
    create: 'Create something new',
    help: 'Show this list',
    codes: 'Codes',
    scan: 'Scan',
    assets: 'Assets',
    activities: 'Activities',
    chats: 'Chats',
    orgs: 'Organizations',
    admin: 'Administration',
  },
  zh: {
    title: '键盘快捷键',
    everything: '搜索全部',
    search: '在本页搜索',
    target: '修改当前焦点所在二维码的目标',
    create: '新建',
    help: '显示此列表',
    codes: '二维码',
    scan: '扫一扫',
    assets: '资产',
    activities: '活动',
    chats: '聊天',
    orgs: '组织',
    admin: '管理后台',
  },
})

/** The second key after `g`. */
const PARTS = { c: 'codes', s: 'scan', a: 'assets', e: 'activities', m: 'chats', o: 'orgs', x: 'admin' } as const

export function Shortcuts() {
  const t = useTexts(words)
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    let afterG = false
    const onKey = (event: KeyboardEvent) => {
      if (isPaletteKey(event)) {
        event.preventDefault()
        togglePalette()
        return
      }
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const part = afterG ? PARTS[event.key as keyof typeof PARTS] : undefined
      afterG = event.key === 'g'
      if (part !== undefined) void navigate(`/${part}`)
      else if (event.key === '?') setOpen(true)
      else if (event.key === '/') openPalette()
      else if (event.key === 'f')
        document.querySelector<HTMLInputElement>('[data-search] input, input[type=search]')?.focus()
      else if (event.key === 'n') document.querySelector<HTMLElement>('[data-create]')?.click()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [navigate])
  const rows: readonly (readonly [string, string])[] = [
    [`${PALETTE_KEY}  /`, t.everything],
    ['f', t.search],
    ['n', t.create],
    ['e', t.target],
    ...Object.entries(PARTS).map(([key, part]) => [`g ${key}`, t[part]] as const),
    ['?', t.help],
  ]
  return (
    <Dialog open={isOpen} onClose={() => setOpen(false)}>
      <DialogTitle>{t.title}</DialogTitle>
      <DialogContent>
        <Table size="small">
          <TableBody>
            {rows.map(([keys, label]) => (
              <TableRow key={keys}>
                <TableCell>
                  <kbd>{keys}</kbd>
                </TableCell>
                <TableCell>{label}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </DialogContent>
    </Dialog>
  )
}

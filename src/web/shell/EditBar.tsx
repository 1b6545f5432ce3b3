/** Chooses the entries of the bar at the bottom of phones. */

import { Box, Button, Checkbox, List, ListItem, ListItemIcon, ListItemText, Typography } from '@mui/material'

import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { NoticeDialog } from '../ui/dialogs.tsx'
import { PLACES, usePhoneBar } from './bar.ts'

const words = texts({
  en: {
    title: 'Edit bar',
    text: 'Choose up to four. They are shown in the order in which you choose them.',
    place: (n: number) => `Place ${n}`,
    reset: 'Use the usual ones',
    done: 'Done',
  },
  zh: {
    title: '编辑底部栏',
    text: '最多可选四项，按选择的先后排列。',
    place: (n: number) => `第 ${n} 位`,
    reset: '恢复默认',
    done: '完成',
  },
})

export default function EditBar({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const locale = useLocale()
  const { items, all, choose } = usePhoneBar()
  const paths = items.map(({ to }) => to)
  return (
    <NoticeDialog title={t.title} action={t.done} onClose={onClose}>
      <Typography color="text.secondary">{t.text}</Typography>
      <List disablePadding>
        {all.map(({ to, label, icon: Icon }) => {
          const at = paths.indexOf(to)
          const isChosen = at !== -1
          return (
            <ListItem key={to} disablePadding>
              <Box component="label" sx={{ display: 'flex', alignItems: 'center', flex: 1, minHeight: 48 }}>
                <Checkbox
                  checked={isChosen}
                  disabled={!isChosen && paths.length === PLACES}
                  onChange={() => choose(isChosen ? paths.filter((path) => path !== to) : [...paths, to])}
                />
                <ListItemIcon sx={{ minWidth: 36 }}>
                  <Icon />
                </ListItemIcon>
                <ListItemText primary={label[locale]} />
                {isChosen && (
                  <Typography variant="body2" color="text.secondary">
                    {t.place(at + 1)}
                  </Typography>
                )}
              </Box>
            </ListItem>
          )
        })}
      </List>
      <Button onClick={() => choose(undefined)} sx={{ alignSelf: 'flex-start' }}>
        {t.reset}
      </Button>
    </NoticeDialog>
  )
}

/** The words that nicknames of new accounts are made of. */

import { Abc } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

export const nicknameWords = area({
  menu: [
    {
      group: 'system',
      to: '/admin/words',
      label: things.nicknameWord.many,
      icon: Abc,
      needs: 'admin.nicknameNouns.list',
      order: 60,
    },
  ],
  pages: [{ path: '/admin/words', component: part(() => import('./NicknameWords.tsx')) }],
})

import { Bookmark } from '@mui/icons-material'
import { Avatar } from '@mui/material'

import { Portrait } from '../../ui/Portrait.tsx'

interface Props {
  name: string
  url: string | null
  isNotes: boolean
  size?: number
}

/** The picture of a conversation. Notes have a bookmark instead of the picture of the user. */
export const ConversationPortrait = ({ name, url, isNotes, size = 40 }: Props) =>
  isNotes ? (
    <Avatar sx={{ width: size, height: size, bgcolor: 'primary.main' }}>
      <Bookmark />
    </Avatar>
  ) : (
    <Portrait name={name} url={url} size={size} />
  )

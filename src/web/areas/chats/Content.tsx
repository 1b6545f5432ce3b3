/** The content of a message by its type. Tab passes over it: the arrow keys lead there (log-keys.ts). */

import { CalendarMonth, InsertDriveFileOutlined, Place } from '@mui/icons-material'
import { Box, Link as MuiLink, Stack, Typography } from '@mui/material'
import { Fragment } from 'react'
import { Link } from 'react-router'

import type { Message } from '../../api/types.ts'
import { bytes, dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { MapLink } from '../../ui/MapLink.tsx'
import { Portrait } from '../../ui/Portrait.tsx'
import { VoicePlayer } from './VoicePlayer.tsx'
import { words } from './words.ts'

const own = texts({
  en: { gone: 'The file was deleted.', card: 'Contact card', write: 'Write' },
  zh: { gone: '文件已被删除。', card: '名片', write: '发消息' },
})

interface Values {
  text?: string
  caption?: string
  name?: string
  url?: string | null
  thumbnailUrl?: string | null
  width?: number
  height?: number
  size?: number
  mime?: string
  durationMs?: number
  latitude?: number
  longitude?: number
  address?: string
  userId?: number
  nickname?: string
  avatarUrl?: string | null
  qrCodeId?: number
  activityId?: number
  content?: string
  imageUrl?: string
  startTime?: number
}

/** Largest side of a picture in the conversation, in pixels. */
const PICTURE = 260

export function Content({ message: { type, content } }: { message: Pick<Message, 'type' | 'content'> }) {
  const t = useTexts(words)
  const o = useTexts(own)
  const values = content as Values
  const { name = '' } = values
  const url = values.url || null
  const isFile = ['IMAGE', 'FILE', 'VOICE', 'VIDEO'].includes(type)
  if (isFile && url === null) return <Typography variant="body2">{o.gone}</Typography>
  switch (type) {
    case 'TEXT':
      return <Text text={values.text ?? ''} />
    case 'IMAGE': {
      const { width = PICTURE, height = PICTURE } = values
      const scale = Math.min(1, PICTURE / Math.max(width, height))
      return (
        <>
          <a tabIndex={-1} href={url!} target="_blank" rel="noreferrer">
            <Box
              component="img"
              src={values.thumbnailUrl ?? url!}
              alt={values.caption || t.types.IMAGE}
              width={Math.round(width * scale)}
              height={Math.round(height * scale)}
              loading="lazy"
              sx={{ display: 'block', maxWidth: '100%', height: 'auto', borderRadius: 1 }}
            />
          </a>
          {values.caption && <Text text={values.caption} />}
        </>
      )
    }
    case 'VIDEO':
      return (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- users send it without captions
        <Box
          component="video"
          tabIndex={-1}
          src={url!}
          controls
          preload="metadata"
          aria-label={t.types.VIDEO}
          sx={{ maxWidth: '100%', maxHeight: 320 }}
        />
      )
    case 'VOICE':
      return <VoicePlayer url={url!} mime={values.mime ?? ''} durationMs={values.durationMs} />
    case 'FILE':
      return (
        <MuiLink tabIndex={-1} href={url!} download={name} color="inherit" underline="hover">
          <Line
            icon={<InsertDriveFileOutlined />}
            title={name}
            detail={values.size === undefined ? '' : bytes(values.size)}
          />
        </MuiLink>
      )
    case 'LOCATION':
      return (
        <MapLink tabIndex={-1} latitude={values.latitude!} longitude={values.longitude!} name={name} color="inherit">
          <Line
            icon={<Place />}
            title={name || t.types.LOCATION}
            detail={values.address || `${values.latitude?.toFixed(5)}, ${values.longitude?.toFixed(5)}`}
          />
        </MapLink>
      )
    case 'CARD':
      return (
        <MuiLink tabIndex={-1} component={Link} to={`/chats/with/${values.userId}`} color="inherit">
          <Line
            icon={<Portrait name={values.nickname ?? ''} url={values.avatarUrl ?? null} />}
            title={values.nickname ?? ''}
            detail={o.card}
          />
        </MuiLink>
      )
    case 'QR_CODE':
      return (
        <Stack direction="row" spacing={1.5} sx={{ alignItems: 'center' }}>
          <Box
            component="img"
            src={values.imageUrl ?? ''}
            alt=""
            width={96}
            height={96}
            sx={{ bgcolor: 'common.white', borderRadius: 1 }}
          />
          <Box sx={{ minWidth: 0 }}>
            <Typography sx={{ fontWeight: 650 }}>{name}</Typography>
            <Text text={values.content ?? ''} />
          </Box>
        </Stack>
      )
    case 'ACTIVITY':
      return (
        <MuiLink tabIndex={-1} component={Link} to={`/activities/${values.activityId}`} color="inherit">
          <Line icon={<CalendarMonth />} title={name} detail={dateTime(values.startTime)} />
        </MuiLink>
      )
    default:
      return <Text text={values.text ?? ''} />
  }
}

function Line({ icon, title, detail }: { icon: React.ReactNode; title: string; detail: string }) {
  return (
    <Stack direction="row" spacing={1} sx={{ alignItems: 'center', minHeight: 44 }}>
      {icon}
      <Box sx={{ minWidth: 0 }}>
        <Typography sx={{ fontWeight: 600 }}>{title}</Typography>
        <Typography variant="caption">{detail}</Typography>
      </Box>
    </Stack>
  )
}

/** Addresses of web pages. A sentence's sign after one is not part of it. */
const URL_PATTERN = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]，。；：！？）】])/

function Text({ text }: { text: string }) {
  const parts = text.split(URL_PATTERN).map((part, index) => ({ key: String(index), part, isLink: index % 2 === 1 }))
  return (
    <Typography component="span" sx={{ whiteSpace: 'pre-wrap', display: 'block' }}>
      {parts.map(({ key, part, isLink }) =>
        isLink ? (
          <MuiLink
            tabIndex={-1}
            key={key}
            href={part}
            target="_blank"
            rel="noreferrer"
            color="inherit"
            underline="always"
          >
            {part}
          </MuiLink>
        ) : (
          <Fragment key={key}>{part}</Fragment>
        ),
      )}
    </Typography>
  )
}

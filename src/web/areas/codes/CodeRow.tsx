/** A code in the list: picture, name, content, marks and its menu. */

import { Folder as FolderIcon, Public, PushPin } from '@mui/icons-material'
import { Box, Checkbox, Link as MuiLink, ListItem, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import type { QrCode } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { WINDOWED } from '../../ui/windowed.tsx'
import { CodeMenu } from './CodeMenu.tsx'
import { summaryOf } from './content.ts'
import type { Folder } from './folders.ts'
import { pictureUrl } from './look/designs.ts'
import { codeWords } from './words.ts'

const words = texts({
  en: { select: (name: string) => `Select ${name}` },
  zh: { select: (name: string) => `选择“${name}”` },
})

export interface CodeRowProps {
  code: QrCode
  folder: Folder | undefined
  isSelected: boolean
  onSelect: (isSelected: boolean) => void
}

/** Tags beyond these are only shown on the page of the code. */
const SHOWN_TAGS = 3

export function CodeRow({ code, folder, isSelected, onSelect }: CodeRowProps) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const type = useEnum('contentType')
  return (
    <ListItem
      divider
      disablePadding
      sx={{
        gap: { xs: 1, sm: 1.5 },
        px: { xs: 0.5, sm: 1 },
        py: 1,
        bgcolor: isSelected ? 'background.tint' : undefined,
        ...WINDOWED,
        '&:last-child': { borderBottom: 0 },
      }}
    >
      <Checkbox
        checked={isSelected}
        onChange={(event) => onSelect(event.target.checked)}
        slotProps={{ input: { 'aria-label': t.select(code.name) } }}
      />
      <QrPicture
        content={contentOfPicture(code)}
        style={code.style}
        url={pictureUrl(code)}
        alt=""
        width={56}
        sx={{ borderRadius: 1, width: { xs: 44, sm: 56 } }}
      />
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <MuiLink
          component={Link}
          to={`/codes/${code.id}`}
          color="text.primary"
          sx={{ fontWeight: 600, display: 'block', overflowWrap: 'anywhere' }}
        >
          {code.pinned && (
            <PushPin
              titleAccess={shared.pinned}
              sx={{ fontSize: 16, mr: 0.5, verticalAlign: '-2px' }}
              color="primary"
            />
          )}
          {code.name}
        </MuiLink>
        <Typography variant="body2" color="text.secondary" noWrap>
          {summaryOf(code.content)}
        </Typography>
        <Stack
          direction="row"
          spacing={1}
          useFlexGap
          sx={{ mt: 0.25, flexWrap: 'wrap', alignItems: 'center', color: 'text.secondary', typography: 'caption' }}
        >
          <span>{type(code.contentType)}</span>
          {code.isPublic && <Mark icon={<Public sx={{ fontSize: 14 }} />} text={shared.public} />}
          {code.isDynamic && <span>{shared.dynamic}</span>}
          {folder !== undefined && (
            <Mark
              icon={<FolderIcon sx={{ fontSize: 14, color: folder.node.color || undefined }} />}
              text={folder.node.name}
            />
          )}
          {code.tags.slice(0, SHOWN_TAGS).map((tag) => (
            <Typography key={tag} variant="caption" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
              #{tag}
            </Typography>
          ))}
          {code.scanCount > 0 && (
            <Box component="span" sx={{ display: { sm: 'none' } }}>
              {shared.scans(code.scanCount)}
            </Box>
          )}
        </Stack>
      </Box>
      {code.scanCount > 0 && (
        <Typography
          variant="body2"
          color="text.secondary"
          sx={{ display: { xs: 'none', sm: 'block' }, whiteSpace: 'nowrap' }}
        >
          {code.scanCount < 1000 ? shared.scans(code.scanCount) : number(code.scanCount)}
        </Typography>
      )}
      <CodeMenu code={code} onTrashed={() => onSelect(false)} />
    </ListItem>
  )
}

const Mark = ({ icon, text }: { icon: ReactNode; text: string }) => (
  <Stack component="span" direction="row" spacing={0.5} sx={{ alignItems: 'center', overflowWrap: 'anywhere' }}>
    {icon}
    <span>{text}</span>
  </Stack>
)

/** The text in the picture of a code. */
export const contentOfPicture = ({ pictureContent }: QrCode): string => pictureContent

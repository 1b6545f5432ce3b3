/** The value of a metadata field, as text, links or pictures. */

import { Box, Link, Stack, Typography } from '@mui/material'
import { Link as RouterLink } from 'react-router'

import { bytes, dateTime, day, list, number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { MapLink } from '../../../ui/MapLink.tsx'
import type { FieldConfig, FieldSpec, FileItem, Position, Reference } from './model.ts'

const words = texts({
  en: { yes: 'Yes', no: 'No', gone: 'Deleted or not visible to you', photo: 'Photo' },
  zh: { yes: '是', no: '否', gone: '已删除或无权查看', photo: '照片' },
})

export function FieldValueText({ spec, value }: { spec: Pick<FieldSpec, 'type' | 'config'>; value: unknown }) {
  const t = useTexts(words)
  const { type, config } = spec
  switch (type) {
    case 'BOOLEAN':
      return <>{value === true ? (config.trueLabel ?? t.yes) : (config.falseLabel ?? t.no)}</>
    case 'ATTACHMENT':
      return (
        <Stack>
          {(value as FileItem[]).map(({ fileId, name, size, url }) => (
            <Link key={fileId} href={url} target="_blank" rel="noopener" sx={{ overflowWrap: 'anywhere' }}>
              {name} {size !== undefined && `(${bytes(size)})`}
            </Link>
          ))}
        </Stack>
      )
    case 'PHOTO':
      return (
        <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: 'wrap' }}>
          {(value as FileItem[]).map(({ fileId, name, url, thumbnailUrl }) => (
            <Link key={fileId} href={url} target="_blank" rel="noopener">
              <Box
                component="img"
                src={thumbnailUrl ?? url}
                alt={name ?? t.photo}
                sx={{ width: 96, height: 72, objectFit: 'cover', borderRadius: 1, display: 'block' }}
              />
            </Link>
          ))}
        </Stack>
      )
    case 'GEO': {
      const { latitude, longitude, address } = value as Position
      return (
        <>
          {address !== undefined && <Typography component="span">{address} </Typography>}
          <MapLink latitude={latitude} longitude={longitude} {...(address !== undefined && { name: address })} />
        </>
      )
    }
    case 'REF': {
      const { id, title } = value as Reference
      if (title === null) return <Typography color="text.secondary">{t.gone}</Typography>
      const page = PAGES[config.target ?? 'USER']
      return page === undefined ? (
        <>{title}</>
      ) : (
        <Link component={RouterLink} to={`/${page}/${id}`}>
          {title}
        </Link>
      )
    }
    default:
      return <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{valueText(spec, value)}</Box>
  }
}

const PAGES: Partial<Record<string, string>> = { ASSET: 'assets', ACTIVITY: 'activities' }

/** Texts, numbers, dates and options as a text. */
export function valueText({ type, config }: Pick<FieldSpec, 'type' | 'config'>, value: unknown): string {
  const unit = config.unit === undefined ? '' : ` ${config.unit}`
  if (type === 'DATE') return day(value as string)
  if (type === 'DATETIME') return dateTime(value as number)
  if (type === 'SELECT' || type === 'RADIO') return labelOf(config, value as string)
  if (type === 'MULTI_SELECT' || type === 'CHECKBOX')
    return list((value as string[]).map((one) => labelOf(config, one)))
  if (type === 'COMPUTED' && config.resultType === 'DATE') return day(value as string)
  if (typeof value === 'number') return number(value) + unit
  return String(value) + unit
}

/** The time at which a day such as `2026-03-08` begins where the user is. */
const startOfDay = (text: string): number => new Date(`${text}T00:00`).getTime()
/** The time at which a day such as `2026-03-08` has passed where the user is. */
export const endOfDay = (text: string): number => startOfDay(text) + 86_400_000

const labelOf = ({ options }: FieldConfig, value: string) =>
  options?.find((option) => option.value === value)?.label ?? value

/** The logo of the server, or the mark of the product. Beside its name, so it needs no text. */

import { Box } from '@mui/material'

import { site } from '../browser/site.ts'

/** `height` in pixels. Wide logos become lower. */
export const Logo = ({ height }: { height: number }) => (
  <Box component="img" src={site.icon} alt="" height={height} sx={{ maxWidth: 4 * height, objectFit: 'contain' }} />
)

/** The logo of the server, or the mark of the product. Beside its name, so it needs no text. */

import { Box, Stack } from '@mui/material'

import { hasOwnName, site } from '../browser/site.ts'

/** `height` in pixels. Wide logos become lower. */
export const Logo = ({ height }: { height: number }) => (
  <Box component="img" src={site.icon} alt="" height={height} sx={{ maxWidth: 4 * height, objectFit: 'contain' }} />
)

/** For the foot of printed sheets; empty if the server has the name of the product. */
export const PrintedName = () =>
  hasOwnName() ? (
    <Stack direction="row" spacing={1} sx={{ mt: 2, alignItems: 'center', overflowWrap: 'anywhere' }}>
      <Logo height={24} />
      <span>{site.name}</span>
    </Stack>
  ) : null

/** The width of the window, as the breakpoints of the theme have it. */

import { type Theme, useMediaQuery } from '@mui/material'

/** Narrower than 600 pixels. */
export const useIsPhone = (): boolean => useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'))

/** Narrower than 900 pixels: phones, and tablets held upright. */
export const useIsNarrow = (): boolean => useMediaQuery<Theme>((theme) => theme.breakpoints.down('md'))

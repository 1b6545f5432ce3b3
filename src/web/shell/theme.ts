/** Colours and shapes: those of the server's own pages (src/http/page-style.ts), in light and dark. */

import { createTheme, type PaletteColorOptions, type Theme, type ThemeOptions, useMediaQuery } from '@mui/material'

import { site } from '../browser/site.ts'
import { stored } from '../browser/stored.ts'

const FONT =
  'system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC","Hiragino Sans GB","Noto Sans CJK SC","Noto Sans SC","Microsoft YaHei",sans-serif'

declare module '@mui/material' {
  interface TypeBackground {
    /** Behind the user's own messages: a little of the primary colour. */
    tint: string
  }
}

/** The mark of the element with the focus, at a distance of some pixels from its edge. */
const ring =
  (outlineOffset: number) =>
  ({ theme }: { theme: Theme }) => ({
    '&.Mui-focusVisible': { outline: `2px solid ${theme.palette.primary.main}`, outlineOffset },
  })

/** A finger needs 44 pixels. */
const touchTarget = { '@media (pointer: coarse)': { minHeight: 44, minWidth: 44 } }

const components: ThemeOptions['components'] = {
  // Figures in lists line up below each other, and do not jump when they change. A long name without spaces breaks rather than leave its box.
  MuiCssBaseline: { styleOverrides: { body: { fontVariantNumeric: 'tabular-nums', overflowWrap: 'break-word' } } },
  MuiAutocomplete: { defaultProps: { fullWidth: true } },
  // The default mark of the focus is a slightly darker background.
  MuiButtonBase: { styleOverrides: { root: ring(2) } },
  // Without room around them.
  MuiMenuItem: { styleOverrides: { root: ring(-2) } },
  MuiListItemButton: { styleOverrides: { root: ring(-2) } },
  // Buttons that scroll appear where tabs are hidden at their side, and not on phones.
  // Buttons of notices break no words: the text beside them breaks.
  MuiAlert: { styleOverrides: { action: { flexShrink: 0, '& .MuiButton-root': { whiteSpace: 'nowrap' } } } },
  MuiTabs: { styleOverrides: { scrollButtons: { '&.Mui-disabled': { display: 'none' } } } },
  // On phones, more tabs fit beside each other, and the last one is seen at least in part.
  MuiTab: {
    styleOverrides: {
      root: ({ theme }: { theme: Theme }) => ({
        ...ring(-2)({ theme }),
        paddingInline: 12,
        [theme.breakpoints.down('sm')]: { minWidth: 44 },
      }),
    },
  },
  MuiCardActionArea: { styleOverrides: { root: ring(-2) } },
  MuiButton: { defaultProps: { disableElevation: true }, styleOverrides: { root: touchTarget } },
  MuiIconButton: { styleOverrides: { root: touchTarget } },
  MuiCheckbox: { styleOverrides: { root: touchTarget } },
  MuiRadio: { styleOverrides: { root: touchTarget } },
  MuiPaper: { defaultProps: { elevation: 0 }, styleOverrides: { root: { backgroundImage: 'none' } } },
  MuiCard: { defaultProps: { variant: 'outlined' } },
  // The default grey has too little contrast on the background of pages.
  MuiToggleButton: {
    styleOverrides: {
      root: ({ theme }: { theme: Theme }) => ({ color: theme.palette.text.secondary, ...touchTarget }),
    },
  },
  MuiTextField: { defaultProps: { variant: 'outlined', size: 'small' } },
  MuiFormControl: {
    defaultProps: { variant: 'outlined', size: 'small' },
  },
  // It says why a field is disabled.
  MuiFormHelperText: {
    styleOverrides: {
      root: ({ theme }: { theme: Theme }) => ({ '&.Mui-disabled': { color: theme.palette.text.secondary } }),
    },
  },
  MuiLink: { defaultProps: { underline: 'hover' } },
  MuiListItemIcon: { styleOverrides: { root: { minWidth: 56 } } },
  MuiTableCell: { styleOverrides: { paddingCheckbox: { padding: '0 8px' } } },
  MuiTooltip: { defaultProps: { arrow: true } },
  // Material UI 9 knows only `textSecondary` here, and ignores the path of the palette that `sx` takes.
  MuiTypography: {
    variants: [
      {
        props: { color: 'text.secondary' },
        style: ({ theme }: { theme: Theme }) => ({ color: theme.palette.text.secondary }),
      },
    ],
  },
}

const shared: ThemeOptions = {
  // No transitions for users whose system asks for less motion.
  motion: { reducedMotion: 'system' },
  shape: { borderRadius: 10 },
  typography: {
    fontFamily: FONT,
    h1: { fontSize: '1.75rem', fontWeight: 700, lineHeight: 1.25, letterSpacing: '-0.015em' },
    h2: { fontSize: '1.125rem', fontWeight: 650, lineHeight: 1.35 },
    h3: { fontSize: '1rem', fontWeight: 600 },
    // Chinese characters have more strokes.
    caption: { fontSize: '0.75rem', '&:lang(zh)': { fontSize: '0.8125rem' } },
    h6: { fontWeight: 600 },
    button: { textTransform: 'none', fontWeight: 600 },
  },
  components,
}

function accent(main: string, contrastText?: string): { primary: PaletteColorOptions; secondary: PaletteColorOptions } {
  const color = { main, ...(contrastText !== undefined && { contrastText }) }
  return { primary: color, secondary: color }
}

const light: ThemeOptions = {
  ...shared,
  palette: {
    mode: 'light',
    ...accent(site.accent?.light ?? '#0b6b57', site.accent?.onLight),
    error: { main: '#a4262c' },
    warning: { main: '#8a4b00' },
    info: { main: '#0b5f8a' },
    background: { default: '#f4f5f2', paper: '#ffffff', tint: '#dcefe8' },
    text: { primary: '#17201d', secondary: '#53605b' },
    divider: '#dfe4e0',
  },
}

const dark: ThemeOptions = {
  ...shared,
  palette: {
    mode: 'dark',
    ...accent(site.accent?.dark ?? '#5fcdb0', site.accent?.onDark ?? '#07231c'),
    error: { main: '#ff9a96' },
    warning: { main: '#ffb95c' },
    info: { main: '#7cc7f2' },
    background: { default: '#0c110f', paper: '#1a221f', tint: '#1f3a32' },
    text: { primary: '#e8eeeb', secondary: '#a3b2ac' },
    divider: '#2b3531',
  },
}

/** Undefined: that of the system. The key is the one of earlier versions. */
const chosen = stored<'light' | 'dark' | undefined>('RaStoretessera.theme', undefined)

/** Light or dark, and the function that changes it. */
export function useThemeMode(): ['light' | 'dark', () => void] {
  const isDarkSystem = useMediaQuery('(prefers-color-scheme: dark)', { noSsr: true })
  const mode = chosen.use() ?? (isDarkSystem ? 'dark' : 'light')
  return [mode, () => chosen.set(mode === 'dark' ? 'light' : 'dark')]
}

export const themes: Readonly<Record<'light' | 'dark', Theme>> = { light: createTheme(light), dark: createTheme(dark) }

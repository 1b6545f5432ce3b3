/** Colours and shapes: those of the server's own pages (src/http/page-style.ts), in light and dark. */

import type { Theme } from '@mui/material'
import { defaultDarkTheme, defaultLightTheme, type RaThemeOptions } from 'react-admin'

const FONT =
  'system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC","Hiragino Sans GB","Noto Sans CJK SC","Noto Sans SC","Microsoft YaHei",sans-serif'

/** The mark of the element with the focus, at a distance of some pixels from its edge. */
const ring =
  (outlineOffset: number) =>
  ({ theme }: { theme: Theme }) => ({
    '&.Mui-focusVisible': { outline: `2px solid ${theme.palette.primary.main}`, outlineOffset },
  })

const components: RaThemeOptions['components'] = {
  // The default mark of the focus is a slightly darker background.
  MuiButtonBase: { styleOverrides: { root: ring(2) } },
  // Without room around them.
  MuiMenuItem: { styleOverrides: { root: ring(-2) } },
  MuiListItemButton: { styleOverrides: { root: ring(-2) } },
  // On phones, more tabs fit beside each other, and the last one is seen at least in part.
  MuiTab: {
    styleOverrides: {
      root: ({ theme }: { theme: Theme }) => ({
        ...ring(-2)({ theme }),
        [theme.breakpoints.down('sm')]: { minWidth: 44, paddingInline: 12 },
      }),
    },
  },
  MuiCardActionArea: { styleOverrides: { root: ring(-2) } },
  MuiButton: { defaultProps: { disableElevation: true } },
  MuiPaper: { defaultProps: { elevation: 0 }, styleOverrides: { root: { backgroundImage: 'none' } } },
  MuiCard: { defaultProps: { variant: 'outlined' } },
  // The default grey has too little contrast on the background of pages.
  MuiToggleButton: {
    styleOverrides: { root: ({ theme }: { theme: Theme }) => ({ color: theme.palette.text.secondary }) },
  },
  MuiTextField: { defaultProps: { variant: 'outlined', size: 'small' } },
  MuiFormControl: {
    defaultProps: { variant: 'outlined', size: 'small' },
    // The inputs of react-admin's forms, which stand one below the other without a gap of their own.
    styleOverrides: { root: { '&.ra-input': { marginTop: 8, marginBottom: 12 } } },
  },
  // It says why a field is disabled.
  MuiFormHelperText: {
    styleOverrides: {
      root: ({ theme }: { theme: Theme }) => ({ '&.Mui-disabled': { color: theme.palette.text.secondary } }),
    },
  },
  MuiLink: { defaultProps: { underline: 'hover' } },
  // react-admin names the checkboxes of rows on the element around the input, where Material UI 9 leaves the name.
  MuiCheckbox: {
    defaultProps: {
      slotProps: {
        root: { 'aria-label': undefined },
        input: (props: object) => ('aria-label' in props ? { 'aria-label': props['aria-label'] as string } : {}),
      },
    },
  },
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
  // react-admin fixes it to the bottom of phones, where the navigation would cover it.
  RaToolbar: {
    styleOverrides: {
      root: { '&&': { backgroundColor: 'transparent' }, '&.RaToolbar-mobileToolbar': { position: 'static' } },
    },
  },
  // Wide content scrolls in its own box, not the page.
  RaLayout: { styleOverrides: { root: { minWidth: 0 } } },
  RaMenuItemLink: {
    styleOverrides: {
      root: ({ theme }: { theme: Theme }) => ({
        '&.RaMenuItemLink-active': {
          color: theme.palette.primary.main,
          backgroundColor: theme.palette.action.selected,
          fontWeight: 600,
        },
      }),
    },
  },
}

const shared = (base: RaThemeOptions): RaThemeOptions => ({
  ...base,
  // No transitions for users whose system asks for less motion.
  motion: { reducedMotion: 'system' },
  shape: { borderRadius: 10 },
  typography: {
    fontFamily: FONT,
    h1: { fontSize: '1.5rem', fontWeight: 650, lineHeight: 1.3 },
    h2: { fontSize: '1.125rem', fontWeight: 650, lineHeight: 1.35 },
    h3: { fontSize: '1rem', fontWeight: 600 },
    h6: { fontWeight: 600 },
    button: { textTransform: 'none', fontWeight: 600 },
  },
  sidebar: { width: 248, closedWidth: 56 },
  components: { ...base.components, ...components },
})

export const lightTheme: RaThemeOptions = {
  ...shared(defaultLightTheme),
  palette: {
    mode: 'light',
    primary: { main: '#0b6b57' },
    secondary: { main: '#0b6b57' },
    error: { main: '#a4262c' },
    warning: { main: '#8a4b00' },
    info: { main: '#0b5f8a' },
    background: { default: '#f4f5f2', paper: '#ffffff' },
    text: { primary: '#17201d', secondary: '#53605b' },
    divider: '#dfe4e0',
  },
}

export const darkTheme: RaThemeOptions = {
  ...shared(defaultDarkTheme),
  palette: {
    mode: 'dark',
    primary: { main: '#5fcdb0', contrastText: '#07231c' },
    secondary: { main: '#5fcdb0', contrastText: '#07231c' },
    error: { main: '#ff9a96' },
    warning: { main: '#ffb95c' },
    info: { main: '#7cc7f2' },
    background: { default: '#101513', paper: '#181f1c' },
    text: { primary: '#e8eeeb', secondary: '#a3b2ac' },
    divider: '#2b3531',
  },
}

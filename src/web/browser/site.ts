/** The name, language and colours of the server, which it writes into the page if an administrator has set them (http/web-app). */

export interface Site {
  readonly name: string
  /** Of people whose browser asks for neither language; English if it is absent. */
  readonly locale?: 'en' | 'zh'
  /** The path of its icon. */
  readonly icon: string
  readonly accent?: { readonly light: string; readonly dark: string; readonly onLight: string; readonly onDark: string }
}

const PRODUCT: Site = { name: 'Tessera', icon: '/favicon.svg' }

const written = document.querySelector<HTMLMetaElement>('meta[name="site"]')?.content

export const site: Site = written === undefined ? PRODUCT : { ...PRODUCT, ...(JSON.parse(written) as Partial<Site>) }

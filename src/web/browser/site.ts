/** The name, language and look of the server, which it writes into the page if an administrator has set them (http/web-app). */

export interface Site {
  readonly name: string
  /** Of people whose browser asks for neither language; English if it is absent. */
  readonly locale?: 'en' | 'zh'
  /** The path of its icon. */
  readonly icon: string
  /** Who runs the server, for the foot of the pages before the sign-in. */
  readonly contact?: Readonly<
    Record<'operator' | 'email' | 'phone' | 'url' | 'imprintUrl' | 'privacyUrl', string | null>
  >
  readonly accent?: { readonly light: string; readonly dark: string; readonly onLight: string; readonly onDark: string }
}

const PRODUCT: Site = { name: 'Tessera', icon: '/favicon.svg' }

const written = document.querySelector<HTMLMetaElement>('meta[name="site"]')?.content

/** Whether the server has a name of its own, which belongs on printed sheets. */
export const hasOwnName = (): boolean => site.name !== PRODUCT.name

export const site: Site = written === undefined ? PRODUCT : { ...PRODUCT, ...(JSON.parse(written) as Partial<Site>) }

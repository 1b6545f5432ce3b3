/** One-click sign-in: a carrier's SDK in the app gives a token, the gateway gives the phone number behind it. */
export interface OneClick {
  /** The number as the gateway writes it: E.164, or 11 digits of the Chinese mainland. @throws GatewayError */
  phoneOf(token: string, signal?: AbortSignal): Promise<string>
  /** Whether the gateway can be reached. Resolves with a sentence. @throws GatewayError */
  check(): Promise<string>
}

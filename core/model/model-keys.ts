/** The secrets that hold a provider's key; the first that there is counts. */
export const KEY_NAMES = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
  mistral: ['MISTRAL_API_KEY'],
  'openai-compatible': ['OPENAI_COMPATIBLE_API_KEY'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Of a model by its name, `openai:gpt-5-mini`. */
export function keyNamesOf(model: string): readonly string[] {
  const provider = model.slice(0, model.indexOf(':'));
  return Object.hasOwn(KEY_NAMES, provider) ? KEY_NAMES[provider as keyof typeof KEY_NAMES] : [];
}

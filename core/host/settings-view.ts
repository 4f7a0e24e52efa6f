import type { SettingsView } from '../contract/settings-views.ts';
import { pathOfLimit } from '../manifest/budget-schema.ts';
import { LIMIT_NAMES, LIMITS, type BudgetConfig } from '../model/budget.ts';
import { showJson, type Json } from '../model/json.ts';
import type { LiveSettings } from '../model/settings.ts';
import { cut } from './cut.ts';
import { MAX_ID, MAX_LINE, MAX_SENTENCE, MAX_WORD } from './view-limits.ts';

const MAX_SHOWN = 100;

/** @param budget null where nobody runs it here */
export function settingsView(settings: LiveSettings, budget: BudgetConfig | null): SettingsView {
  const changed = Object.entries(settings);
  return {
    changed: changed.slice(0, MAX_SHOWN).map(([path, { value, manifest, actor, reason, at }]) => ({
      path: cut(path, MAX_ID),
      manifestText: shown(manifest),
      valueText: shown(value),
      actor: cut(actor, MAX_WORD),
      reason: cut(reason, MAX_SENTENCE),
      at: cut(at, MAX_WORD),
    })),
    changedCount: changed.length,
    limits:
      budget === null
        ? []
        : LIMIT_NAMES.map((limit) => ({
            limit,
            path: pathOfLimit(limit),
            words: LIMITS[limit].words,
            value: budget.limits[limit] ?? null,
          })),
  };
}

function shown(value: Json): string | null {
  return value === null ? null : cut(showJson(value), MAX_LINE);
}

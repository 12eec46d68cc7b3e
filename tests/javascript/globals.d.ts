// What the scripts of a report find on their page: temporacle/data/checker.js is loaded before them.

declare const TemporacleChecker: {
  check(content: string | Uint8Array): Record<string, unknown>;
  sentence(found: Record<string, unknown>): string;
  NOTHING: Record<string, null>;
};

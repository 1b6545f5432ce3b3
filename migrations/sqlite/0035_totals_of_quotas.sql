-- Nothing to do: on SQLite, counts are in memory (src/db/owner-counts.ts).
SELECT 1;

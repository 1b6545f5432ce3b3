-- EXPAND 0.1.0

ALTER TABLE "files" ADD COLUMN "duration_ms" bigint;

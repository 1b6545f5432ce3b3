-- EXPAND 0.1.0

ALTER TABLE "activities" ADD COLUMN "description_format" text DEFAULT 'PLAIN' NOT NULL;

-- EXPAND 0.1.0

ALTER TABLE "activities" ADD COLUMN "time_zone" text DEFAULT '' NOT NULL;

ALTER TABLE "activities" ADD COLUMN "language" text DEFAULT 'en' NOT NULL;

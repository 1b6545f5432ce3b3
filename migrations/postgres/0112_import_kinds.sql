-- EXPAND 0.1.0

ALTER TABLE "asset_import_mappings" ADD COLUMN "kind" text DEFAULT 'ASSET' NOT NULL;

ALTER TABLE "asset_imports" ADD COLUMN "kind" text DEFAULT 'ASSET' NOT NULL;

ALTER TABLE "sync_receipts" ADD COLUMN "dropped" text;

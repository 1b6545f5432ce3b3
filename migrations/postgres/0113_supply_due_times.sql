-- EXPAND 0.1.0

ALTER TABLE "supply_loans" ADD COLUMN "given_due_at" bigint;

-- EXPAND 0.1.0
-- Registrations and check-ins of people without an account. The version before reads them with the users that they belong to, so it leaves
-- these out.

ALTER TABLE "check_ins" ADD COLUMN "registration_id" bigint;

ALTER TABLE "passes" ADD COLUMN "registration_id" bigint;

ALTER TABLE "registrations" ADD COLUMN "source" text DEFAULT 'ACCOUNT' NOT NULL;

ALTER TABLE "registrations" ADD COLUMN "name" text;

ALTER TABLE "registrations" ADD COLUMN "email" text;

ALTER TABLE "registrations" ADD COLUMN "email_confirmed_at" bigint;

ALTER TABLE "registrations" ADD COLUMN "language" text;

ALTER TABLE "registrations" ADD COLUMN "secret_hash" text;

ALTER TABLE "registrations" ADD COLUMN "secret" text;

ALTER TABLE "registrations" ADD COLUMN "note" text DEFAULT '' NOT NULL;

ALTER TABLE "registrations" ADD COLUMN "reason" text DEFAULT '' NOT NULL;

ALTER TABLE "registrations" ADD COLUMN "confirmed_at" bigint;

ALTER TABLE "registrations" ADD COLUMN "wait_order" double precision;

ALTER TABLE "check_ins" ALTER COLUMN "user_id" DROP NOT NULL;

ALTER TABLE "registrations" ALTER COLUMN "user_id" DROP NOT NULL;

-- Pending registrations are in no total. Rows of the version before are never pending.
CREATE OR REPLACE FUNCTION note_list_changes_of_registrations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('registrations.activity', OLD.activity_id, OLD.status <> 'PENDING', -1),
        ('registrations.activity', NEW.activity_id, NEW.status <> 'PENDING', 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('registrations.activity', changed.activity_id, changed.status <> 'PENDING')
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER list_updates AFTER UPDATE OF activity_id, status ON registrations FOR EACH ROW
  WHEN (OLD.activity_id <> NEW.activity_id OR (OLD.status = 'PENDING') <> (NEW.status = 'PENDING'))
  EXECUTE FUNCTION note_list_changes_of_registrations();

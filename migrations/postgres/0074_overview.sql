-- EXPAND 0.1.0

CREATE TABLE "pass_minutes" (
	"activity_id" bigint NOT NULL,
	"minute" bigint NOT NULL,
	"entries" bigint NOT NULL,
	CONSTRAINT "pass_minutes_activity_id_minute_pk" PRIMARY KEY("activity_id","minute")
);

-- Written by hand. Triggers note how many passes of an activity were used, are inside and were revoked (src/db/list-totals.ts). The next migration counts those
-- of before. Beside them are the lists that migration 0033 has.
CREATE OR REPLACE FUNCTION note_list_changes_of_passes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('passes.activity', OLD.activity_id, OLD.deleted_at IS NULL, -1),
        ('passes.all', 0, OLD.deleted_at IS NULL, -1),
        ('passes.used', OLD.activity_id, OLD.deleted_at IS NULL AND OLD.used_count > 0, -1),
        ('passes.inside', OLD.activity_id, OLD.deleted_at IS NULL AND OLD.is_inside, -1),
        ('passes.revoked', OLD.activity_id, OLD.deleted_at IS NULL AND OLD.revoked_at IS NOT NULL, -1),
        ('passes.activity', NEW.activity_id, NEW.deleted_at IS NULL, 1),
        ('passes.all', 0, NEW.deleted_at IS NULL, 1),
        ('passes.used', NEW.activity_id, NEW.deleted_at IS NULL AND NEW.used_count > 0, 1),
        ('passes.inside', NEW.activity_id, NEW.deleted_at IS NULL AND NEW.is_inside, 1),
        ('passes.revoked', NEW.activity_id, NEW.deleted_at IS NULL AND NEW.revoked_at IS NOT NULL, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('passes.activity', changed.activity_id, changed.deleted_at IS NULL),
        ('passes.all', 0, changed.deleted_at IS NULL),
        ('passes.used', changed.activity_id, changed.deleted_at IS NULL AND changed.used_count > 0),
        ('passes.inside', changed.activity_id, changed.deleted_at IS NULL AND changed.is_inside),
        ('passes.revoked', changed.activity_id, changed.deleted_at IS NULL AND changed.revoked_at IS NOT NULL)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER list_updates AFTER UPDATE OF activity_id, deleted_at, used_count, is_inside, revoked_at ON passes FOR EACH ROW
  WHEN (OLD.activity_id <> NEW.activity_id OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)
    OR (OLD.used_count > 0) <> (NEW.used_count > 0) OR OLD.is_inside <> NEW.is_inside
    OR (OLD.revoked_at IS NULL) <> (NEW.revoked_at IS NULL))
  EXECUTE FUNCTION note_list_changes_of_passes();

-- Redemptions take turns (IN_ORDER), so that no two writes wait for one minute.
CREATE FUNCTION count_pass_minutes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE pass_minutes SET entries = entries - 1 WHERE activity_id = NEW.activity_id AND minute = NEW.used_at - NEW.used_at % 60000;
    RETURN NULL;
  END IF;
  INSERT INTO pass_minutes (activity_id, minute, entries)
    SELECT activity_id, used_at - used_at % 60000, count(*) FROM changed
      WHERE result = 'ACCEPTED' AND direction = 'ENTRY' AND undone_at IS NULL GROUP BY 1, 2
    ON CONFLICT (activity_id, minute) DO UPDATE SET entries = pass_minutes.entries + excluded.entries;
  RETURN NULL;
END $$;

CREATE TRIGGER pass_minutes_inserts AFTER INSERT ON pass_uses REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_pass_minutes();

CREATE TRIGGER pass_minutes_undone AFTER UPDATE OF undone_at ON pass_uses FOR EACH ROW
  WHEN (NEW.result = 'ACCEPTED' AND NEW.direction = 'ENTRY' AND OLD.undone_at IS NULL AND NEW.undone_at IS NOT NULL)
  EXECUTE FUNCTION count_pass_minutes();

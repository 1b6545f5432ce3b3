-- EXPAND 0.1.0

CREATE TABLE `pass_minutes` (
	`activity_id` integer NOT NULL,
	`minute` integer NOT NULL,
	`entries` integer NOT NULL,
	PRIMARY KEY(`activity_id`, `minute`)
);

-- Written by hand. Triggers keep the numbers of passes that were used, are inside and were revoked by activity, so that reading them costs the same at
-- any number of passes. A migration that writes the table `passes` anew must create its triggers again.
CREATE TRIGGER pass_totals_inserts AFTER INSERT ON passes
WHEN NEW.deleted_at IS NULL AND (NEW.used_count > 0 OR NEW.is_inside OR NEW.revoked_at IS NOT NULL)
BEGIN
  INSERT INTO list_totals (list, owner, n)
    SELECT k.column1, NEW.activity_id, k.column2 FROM (VALUES
      ('passes.used', NEW.used_count > 0), ('passes.inside', NEW.is_inside), ('passes.revoked', NEW.revoked_at IS NOT NULL)
    ) AS k WHERE k.column2 <> 0
    ON CONFLICT (list, owner) DO UPDATE SET n = n + excluded.n;
END;

CREATE TRIGGER pass_totals_updates AFTER UPDATE OF used_count, is_inside, revoked_at, deleted_at ON passes
WHEN (OLD.used_count > 0) <> (NEW.used_count > 0) OR OLD.is_inside <> NEW.is_inside
  OR (OLD.revoked_at IS NULL) <> (NEW.revoked_at IS NULL) OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)
BEGIN
  INSERT INTO list_totals (list, owner, n)
    SELECT k.column1, NEW.activity_id, k.column2 FROM (VALUES
      ('passes.used', (NEW.deleted_at IS NULL AND NEW.used_count > 0) - (OLD.deleted_at IS NULL AND OLD.used_count > 0)),
      ('passes.inside', (NEW.deleted_at IS NULL AND NEW.is_inside) - (OLD.deleted_at IS NULL AND OLD.is_inside)),
      ('passes.revoked', (NEW.deleted_at IS NULL AND NEW.revoked_at IS NOT NULL) - (OLD.deleted_at IS NULL AND OLD.revoked_at IS NOT NULL))
    ) AS k WHERE k.column2 <> 0
    ON CONFLICT (list, owner) DO UPDATE SET n = n + excluded.n;
END;

INSERT INTO list_totals (list, owner, n)
  SELECT 'passes.used', activity_id, count(*) FROM passes WHERE deleted_at IS NULL AND used_count > 0 GROUP BY activity_id;

INSERT INTO list_totals (list, owner, n)
  SELECT 'passes.inside', activity_id, count(*) FROM passes WHERE deleted_at IS NULL AND is_inside GROUP BY activity_id;

INSERT INTO list_totals (list, owner, n)
  SELECT 'passes.revoked', activity_id, count(*) FROM passes WHERE deleted_at IS NULL AND revoked_at IS NOT NULL GROUP BY activity_id;

CREATE TRIGGER pass_minutes_inserts AFTER INSERT ON pass_uses
WHEN NEW.result = 'ACCEPTED' AND NEW.direction = 'ENTRY' AND NEW.undone_at IS NULL
BEGIN
  INSERT INTO pass_minutes (activity_id, minute, entries) VALUES (NEW.activity_id, NEW.used_at - NEW.used_at % 60000, 1)
    ON CONFLICT (activity_id, minute) DO UPDATE SET entries = entries + 1;
END;

CREATE TRIGGER pass_minutes_undone AFTER UPDATE OF undone_at ON pass_uses
WHEN NEW.result = 'ACCEPTED' AND NEW.direction = 'ENTRY' AND OLD.undone_at IS NULL AND NEW.undone_at IS NOT NULL
BEGIN
  UPDATE pass_minutes SET entries = entries - 1 WHERE activity_id = NEW.activity_id AND minute = NEW.used_at - NEW.used_at % 60000;
END;

-- EXPAND 0.1.0

-- Written by hand. Triggers keep how many assets can be reserved: those that say so by owner (assets.bookable) and by category (assets.bookable_of),
-- and by category those that leave it to the category (assets.inheriting). Only assets that are in use or idle count. See migration 0033.
CREATE FUNCTION note_bookable_assets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('assets.bookable', OLD.owner, OLD.bookable AND OLD.deleted_at IS NULL AND OLD.status IN ('IN_USE', 'IDLE'), -1),
        ('assets.bookable_of', OLD.category_id, OLD.bookable AND OLD.deleted_at IS NULL AND OLD.status IN ('IN_USE', 'IDLE'), -1),
        ('assets.inheriting', OLD.category_id, OLD.bookable IS NULL AND OLD.deleted_at IS NULL AND OLD.status IN ('IN_USE', 'IDLE'), -1),
        ('assets.bookable', NEW.owner, NEW.bookable AND NEW.deleted_at IS NULL AND NEW.status IN ('IN_USE', 'IDLE'), 1),
        ('assets.bookable_of', NEW.category_id, NEW.bookable AND NEW.deleted_at IS NULL AND NEW.status IN ('IN_USE', 'IDLE'), 1),
        ('assets.inheriting', NEW.category_id, NEW.bookable IS NULL AND NEW.deleted_at IS NULL AND NEW.status IN ('IN_USE', 'IDLE'), 1)
      ) AS k (list, owner, is_in, by) WHERE is_in AND owner IS NOT NULL GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('assets.bookable', changed.owner, changed.bookable),
        ('assets.bookable_of', changed.category_id, changed.bookable),
        ('assets.inheriting', changed.category_id, changed.bookable IS NULL)
      ) AS k (list, owner, is_in)
      WHERE k.is_in AND k.owner IS NOT NULL AND changed.deleted_at IS NULL AND changed.status IN ('IN_USE', 'IDLE') GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;

CREATE TRIGGER bookable_inserts AFTER INSERT ON assets REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_bookable_assets();

CREATE TRIGGER bookable_deletes AFTER DELETE ON assets REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_bookable_assets();

CREATE TRIGGER bookable_updates AFTER UPDATE OF owner, category_id, status, bookable, deleted_at ON assets FOR EACH ROW
  WHEN (OLD.owner <> NEW.owner OR OLD.category_id IS DISTINCT FROM NEW.category_id OR OLD.bookable IS DISTINCT FROM NEW.bookable
    OR (OLD.deleted_at IS NULL AND OLD.status IN ('IN_USE', 'IDLE')) <> (NEW.deleted_at IS NULL AND NEW.status IN ('IN_USE', 'IDLE')))
  EXECUTE FUNCTION note_bookable_assets();

INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM assets AS counted CROSS JOIN LATERAL (VALUES
    ('assets.bookable', counted.owner, counted.bookable),
    ('assets.bookable_of', counted.category_id, counted.bookable),
    ('assets.inheriting', counted.category_id, counted.bookable IS NULL)
  ) AS k (list, owner, is_in)
  WHERE k.is_in AND k.owner IS NOT NULL AND counted.deleted_at IS NULL AND counted.status IN ('IN_USE', 'IDLE') GROUP BY k.list, k.owner;

-- The number of movements of each supply, beside that of each owner (migration 0100).
CREATE OR REPLACE FUNCTION note_list_changes_of_supply_movements() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_changes (list, owner, n)
    SELECT 'supply_movements.owner', changed.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed GROUP BY changed.owner
    UNION ALL
    SELECT 'supply_movements.supply', changed.supply_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed GROUP BY changed.supply_id;
  RETURN NULL;
END $$;

-- Writes of the version before wait for the count, so that it misses none.
LOCK TABLE supply_movements IN SHARE ROW EXCLUSIVE MODE;

INSERT INTO list_totals (list, owner, n)
  SELECT 'supply_movements.supply', supply_id, count(*) FROM supply_movements GROUP BY supply_id;

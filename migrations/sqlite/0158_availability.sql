-- EXPAND 0.1.0

CREATE INDEX `assets_bookable` ON `assets` (`owner`,`asset_no`,`id`,`category_id`,`bookable`) WHERE "assets"."deleted_at" is null and "assets"."status" in ('IN_USE', 'IDLE');

CREATE INDEX `supply_movements_type` ON `supply_movements` (`owner`,`type`,`id`);

CREATE INDEX `supply_movements_supply_type` ON `supply_movements` (`supply_id`,`type`,`id`);

CREATE INDEX `supply_movements_time` ON `supply_movements` (`owner`,`created_at`,`id`);

-- Written by hand. Triggers keep how many assets can be reserved: those that say so by owner (assets.bookable) and by category (assets.bookable_of),
-- and by category those that leave it to the category (assets.inheriting). Only assets that are in use or idle count. A migration that writes
-- assets anew must create them again.
CREATE TRIGGER bookable_inserts AFTER INSERT ON assets
WHEN NEW.deleted_at IS NULL AND NEW.status IN ('IN_USE', 'IDLE') AND NEW.bookable IS NOT 0
BEGIN
  INSERT INTO list_totals (list, owner, n) SELECT 'assets.bookable', NEW.owner, 1 WHERE NEW.bookable
    ON CONFLICT (list, owner) DO UPDATE SET n = n + 1;
  INSERT INTO list_totals (list, owner, n)
    SELECT CASE WHEN NEW.bookable THEN 'assets.bookable_of' ELSE 'assets.inheriting' END, NEW.category_id, 1 WHERE NEW.category_id IS NOT NULL
    ON CONFLICT (list, owner) DO UPDATE SET n = n + 1;
END;

CREATE TRIGGER bookable_deletes AFTER DELETE ON assets
WHEN OLD.deleted_at IS NULL AND OLD.status IN ('IN_USE', 'IDLE') AND OLD.bookable IS NOT 0
BEGIN
  UPDATE list_totals SET n = n - 1 WHERE list = 'assets.bookable' AND owner = OLD.owner AND OLD.bookable;
  UPDATE list_totals SET n = n - 1
    WHERE list = CASE WHEN OLD.bookable THEN 'assets.bookable_of' ELSE 'assets.inheriting' END AND owner = OLD.category_id;
END;

CREATE TRIGGER bookable_updates AFTER UPDATE OF owner, category_id, status, bookable, deleted_at ON assets
WHEN OLD.owner <> NEW.owner OR OLD.category_id IS NOT NEW.category_id OR OLD.bookable IS NOT NEW.bookable
  OR (OLD.deleted_at IS NULL AND OLD.status IN ('IN_USE', 'IDLE')) <> (NEW.deleted_at IS NULL AND NEW.status IN ('IN_USE', 'IDLE'))
BEGIN
  UPDATE list_totals SET n = n - 1
    WHERE list = 'assets.bookable' AND owner = OLD.owner AND OLD.bookable AND OLD.deleted_at IS NULL AND OLD.status IN ('IN_USE', 'IDLE');
  UPDATE list_totals SET n = n - 1
    WHERE list = CASE WHEN OLD.bookable THEN 'assets.bookable_of' ELSE 'assets.inheriting' END AND owner = OLD.category_id
      AND OLD.bookable IS NOT 0 AND OLD.deleted_at IS NULL AND OLD.status IN ('IN_USE', 'IDLE');
  INSERT INTO list_totals (list, owner, n)
    SELECT 'assets.bookable', NEW.owner, 1 WHERE NEW.bookable AND NEW.deleted_at IS NULL AND NEW.status IN ('IN_USE', 'IDLE')
    ON CONFLICT (list, owner) DO UPDATE SET n = n + 1;
  INSERT INTO list_totals (list, owner, n)
    SELECT CASE WHEN NEW.bookable THEN 'assets.bookable_of' ELSE 'assets.inheriting' END, NEW.category_id, 1
      WHERE NEW.category_id IS NOT NULL AND NEW.bookable IS NOT 0 AND NEW.deleted_at IS NULL AND NEW.status IN ('IN_USE', 'IDLE')
    ON CONFLICT (list, owner) DO UPDATE SET n = n + 1;
END;

INSERT INTO list_totals (list, owner, n)
  SELECT 'assets.bookable', owner, count(*) FROM assets WHERE bookable AND deleted_at IS NULL AND status IN ('IN_USE', 'IDLE') GROUP BY owner;

INSERT INTO list_totals (list, owner, n)
  SELECT CASE WHEN bookable THEN 'assets.bookable_of' ELSE 'assets.inheriting' END, category_id, count(*) FROM assets
    WHERE category_id IS NOT NULL AND bookable IS NOT 0 AND deleted_at IS NULL AND status IN ('IN_USE', 'IDLE') GROUP BY 1, 2;

CREATE TABLE "list_changes" (
	"list" text NOT NULL,
	"owner" bigint NOT NULL,
	"n" bigint NOT NULL
);

CREATE TABLE "list_totals" (
	"list" text NOT NULL,
	"owner" bigint NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "list_totals_list_owner_pk" PRIMARY KEY("list","owner")
);

CREATE INDEX "list_changes_list" ON "list_changes" USING btree ("list","owner");

-- Written by hand. Triggers note how many rows each list gains and loses; on SQLite, lists keep their totals in memory (src/db/lists.ts).
-- The changes are folded away all the time.
ALTER TABLE list_changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);
CREATE FUNCTION note_list_changes_of_qr_codes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('qr_codes.personal', OLD.user_id, OLD.org_id = 0 AND OLD.deleted_at IS NULL, -1),
        ('qr_codes.org', OLD.org_id, OLD.org_id <> 0 AND OLD.deleted_at IS NULL, -1),
        ('qr_codes.all', 0, OLD.deleted_at IS NULL, -1),
        ('qr_codes.trash', 0, OLD.deleted_at IS NOT NULL, -1),
        ('qr_codes.personal', NEW.user_id, NEW.org_id = 0 AND NEW.deleted_at IS NULL, 1),
        ('qr_codes.org', NEW.org_id, NEW.org_id <> 0 AND NEW.deleted_at IS NULL, 1),
        ('qr_codes.all', 0, NEW.deleted_at IS NULL, 1),
        ('qr_codes.trash', 0, NEW.deleted_at IS NOT NULL, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('qr_codes.personal', changed.user_id, changed.org_id = 0 AND changed.deleted_at IS NULL),
        ('qr_codes.org', changed.org_id, changed.org_id <> 0 AND changed.deleted_at IS NULL),
        ('qr_codes.all', 0, changed.deleted_at IS NULL),
        ('qr_codes.trash', 0, changed.deleted_at IS NOT NULL)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON qr_codes REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_qr_codes();
CREATE TRIGGER list_deletes AFTER DELETE ON qr_codes REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_qr_codes();
CREATE TRIGGER list_updates AFTER UPDATE OF user_id, org_id, deleted_at ON qr_codes FOR EACH ROW
  WHEN (OLD.user_id <> NEW.user_id OR OLD.org_id <> NEW.org_id OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
  EXECUTE FUNCTION note_list_changes_of_qr_codes();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM qr_codes AS counted CROSS JOIN LATERAL (VALUES
    ('qr_codes.personal', counted.user_id, counted.org_id = 0 AND counted.deleted_at IS NULL),
    ('qr_codes.org', counted.org_id, counted.org_id <> 0 AND counted.deleted_at IS NULL),
    ('qr_codes.all', 0, counted.deleted_at IS NULL),
    ('qr_codes.trash', 0, counted.deleted_at IS NOT NULL)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
CREATE FUNCTION note_list_changes_of_scan_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('scan_records.user', OLD.user_id, true, -1),
        ('scan_records.all', 0, true, -1),
        ('scan_records.user', NEW.user_id, true, 1),
        ('scan_records.all', 0, true, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('scan_records.user', changed.user_id, true),
        ('scan_records.all', 0, true)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON scan_records REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_scan_records();
CREATE TRIGGER list_deletes AFTER DELETE ON scan_records REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_scan_records();
CREATE TRIGGER list_updates AFTER UPDATE OF user_id ON scan_records FOR EACH ROW
  WHEN (OLD.user_id <> NEW.user_id)
  EXECUTE FUNCTION note_list_changes_of_scan_records();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM scan_records AS counted CROSS JOIN LATERAL (VALUES
    ('scan_records.user', counted.user_id, true),
    ('scan_records.all', 0, true)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
CREATE FUNCTION note_list_changes_of_assets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('assets.owner', OLD.owner, OLD.deleted_at IS NULL, -1),
        ('assets.all', 0, OLD.deleted_at IS NULL, -1),
        ('assets.owner', NEW.owner, NEW.deleted_at IS NULL, 1),
        ('assets.all', 0, NEW.deleted_at IS NULL, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('assets.owner', changed.owner, changed.deleted_at IS NULL),
        ('assets.all', 0, changed.deleted_at IS NULL)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON assets REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_assets();
CREATE TRIGGER list_deletes AFTER DELETE ON assets REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_assets();
CREATE TRIGGER list_updates AFTER UPDATE OF owner, deleted_at ON assets FOR EACH ROW
  WHEN (OLD.owner <> NEW.owner OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
  EXECUTE FUNCTION note_list_changes_of_assets();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM assets AS counted CROSS JOIN LATERAL (VALUES
    ('assets.owner', counted.owner, counted.deleted_at IS NULL),
    ('assets.all', 0, counted.deleted_at IS NULL)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
CREATE FUNCTION note_list_changes_of_asset_loans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('asset_loans.owner', OLD.owner, true, -1),
        ('asset_loans.owner', NEW.owner, true, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('asset_loans.owner', changed.owner, true)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON asset_loans REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_asset_loans();
CREATE TRIGGER list_deletes AFTER DELETE ON asset_loans REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_asset_loans();
CREATE TRIGGER list_updates AFTER UPDATE OF owner ON asset_loans FOR EACH ROW
  WHEN (OLD.owner <> NEW.owner)
  EXECUTE FUNCTION note_list_changes_of_asset_loans();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM asset_loans AS counted CROSS JOIN LATERAL (VALUES
    ('asset_loans.owner', counted.owner, true)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
CREATE FUNCTION note_list_changes_of_album_photos() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('album_photos.personal', OLD.user_id, OLD.org_id = 0, -1),
        ('album_photos.org', OLD.org_id, OLD.org_id <> 0, -1),
        ('album_photos.all', 0, true, -1),
        ('album_photos.personal', NEW.user_id, NEW.org_id = 0, 1),
        ('album_photos.org', NEW.org_id, NEW.org_id <> 0, 1),
        ('album_photos.all', 0, true, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('album_photos.personal', changed.user_id, changed.org_id = 0),
        ('album_photos.org', changed.org_id, changed.org_id <> 0),
        ('album_photos.all', 0, true)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON album_photos REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_album_photos();
CREATE TRIGGER list_deletes AFTER DELETE ON album_photos REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_album_photos();
CREATE TRIGGER list_updates AFTER UPDATE OF user_id, org_id ON album_photos FOR EACH ROW
  WHEN (OLD.user_id <> NEW.user_id OR OLD.org_id <> NEW.org_id)
  EXECUTE FUNCTION note_list_changes_of_album_photos();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM album_photos AS counted CROSS JOIN LATERAL (VALUES
    ('album_photos.personal', counted.user_id, counted.org_id = 0),
    ('album_photos.org', counted.org_id, counted.org_id <> 0),
    ('album_photos.all', 0, true)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
CREATE FUNCTION note_list_changes_of_activities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('activities.owner', OLD.owner, OLD.deleted_at IS NULL, -1),
        ('activities.listed', OLD.owner, OLD.deleted_at IS NULL AND OLD.is_listed, -1),
        ('activities.discovered', 0, OLD.discover_until IS NOT NULL, -1),
        ('activities.all', 0, OLD.deleted_at IS NULL, -1),
        ('activities.owner', NEW.owner, NEW.deleted_at IS NULL, 1),
        ('activities.listed', NEW.owner, NEW.deleted_at IS NULL AND NEW.is_listed, 1),
        ('activities.discovered', 0, NEW.discover_until IS NOT NULL, 1),
        ('activities.all', 0, NEW.deleted_at IS NULL, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('activities.owner', changed.owner, changed.deleted_at IS NULL),
        ('activities.listed', changed.owner, changed.deleted_at IS NULL AND changed.is_listed),
        ('activities.discovered', 0, changed.discover_until IS NOT NULL),
        ('activities.all', 0, changed.deleted_at IS NULL)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON activities REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_activities();
CREATE TRIGGER list_deletes AFTER DELETE ON activities REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_activities();
CREATE TRIGGER list_updates AFTER UPDATE OF owner, is_listed, discover_until, deleted_at ON activities FOR EACH ROW
  WHEN (OLD.owner <> NEW.owner OR OLD.is_listed <> NEW.is_listed OR (OLD.discover_until IS NULL) <> (NEW.discover_until IS NULL) OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
  EXECUTE FUNCTION note_list_changes_of_activities();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM activities AS counted CROSS JOIN LATERAL (VALUES
    ('activities.owner', counted.owner, counted.deleted_at IS NULL),
    ('activities.listed', counted.owner, counted.deleted_at IS NULL AND counted.is_listed),
    ('activities.discovered', 0, counted.discover_until IS NOT NULL),
    ('activities.all', 0, counted.deleted_at IS NULL)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
CREATE FUNCTION note_list_changes_of_registrations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('registrations.activity', OLD.activity_id, true, -1),
        ('registrations.activity', NEW.activity_id, true, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('registrations.activity', changed.activity_id, true)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON registrations REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_registrations();
CREATE TRIGGER list_deletes AFTER DELETE ON registrations REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_registrations();
CREATE TRIGGER list_updates AFTER UPDATE OF activity_id ON registrations FOR EACH ROW
  WHEN (OLD.activity_id <> NEW.activity_id)
  EXECUTE FUNCTION note_list_changes_of_registrations();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM registrations AS counted CROSS JOIN LATERAL (VALUES
    ('registrations.activity', counted.activity_id, true)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
CREATE FUNCTION note_list_changes_of_check_ins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('check_ins.activity', OLD.activity_id, true, -1),
        ('check_ins.all', 0, true, -1),
        ('check_ins.activity', NEW.activity_id, true, 1),
        ('check_ins.all', 0, true, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('check_ins.activity', changed.activity_id, true),
        ('check_ins.all', 0, true)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON check_ins REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_check_ins();
CREATE TRIGGER list_deletes AFTER DELETE ON check_ins REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_check_ins();
CREATE TRIGGER list_updates AFTER UPDATE OF activity_id ON check_ins FOR EACH ROW
  WHEN (OLD.activity_id <> NEW.activity_id)
  EXECUTE FUNCTION note_list_changes_of_check_ins();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM check_ins AS counted CROSS JOIN LATERAL (VALUES
    ('check_ins.activity', counted.activity_id, true),
    ('check_ins.all', 0, true)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
CREATE FUNCTION note_list_changes_of_passes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('passes.activity', OLD.activity_id, OLD.deleted_at IS NULL, -1),
        ('passes.all', 0, OLD.deleted_at IS NULL, -1),
        ('passes.activity', NEW.activity_id, NEW.deleted_at IS NULL, 1),
        ('passes.all', 0, NEW.deleted_at IS NULL, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('passes.activity', changed.activity_id, changed.deleted_at IS NULL),
        ('passes.all', 0, changed.deleted_at IS NULL)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON passes REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_passes();
CREATE TRIGGER list_deletes AFTER DELETE ON passes REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_passes();
CREATE TRIGGER list_updates AFTER UPDATE OF activity_id, deleted_at ON passes FOR EACH ROW
  WHEN (OLD.activity_id <> NEW.activity_id OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
  EXECUTE FUNCTION note_list_changes_of_passes();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM passes AS counted CROSS JOIN LATERAL (VALUES
    ('passes.activity', counted.activity_id, counted.deleted_at IS NULL),
    ('passes.all', 0, counted.deleted_at IS NULL)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
CREATE FUNCTION note_list_changes_of_pass_uses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('pass_uses.activity', OLD.activity_id, true, -1),
        ('pass_uses.activity', NEW.activity_id, true, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('pass_uses.activity', changed.activity_id, true)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON pass_uses REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_pass_uses();
CREATE TRIGGER list_deletes AFTER DELETE ON pass_uses REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_pass_uses();
CREATE TRIGGER list_updates AFTER UPDATE OF activity_id ON pass_uses FOR EACH ROW
  WHEN (OLD.activity_id <> NEW.activity_id)
  EXECUTE FUNCTION note_list_changes_of_pass_uses();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM pass_uses AS counted CROSS JOIN LATERAL (VALUES
    ('pass_uses.activity', counted.activity_id, true)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
CREATE FUNCTION note_list_changes_of_org_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n)
      SELECT list, owner, sum(by) FROM (VALUES
        ('org_members.org', OLD.org_id, true, -1),
        ('org_members.org', NEW.org_id, true, 1)
      ) AS k (list, owner, is_in, by) WHERE is_in GROUP BY list, owner HAVING sum(by) <> 0;
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('org_members.org', changed.org_id, true)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON org_members REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_org_members();
CREATE TRIGGER list_deletes AFTER DELETE ON org_members REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_org_members();
CREATE TRIGGER list_updates AFTER UPDATE OF org_id ON org_members FOR EACH ROW
  WHEN (OLD.org_id <> NEW.org_id)
  EXECUTE FUNCTION note_list_changes_of_org_members();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM org_members AS counted CROSS JOIN LATERAL (VALUES
    ('org_members.org', counted.org_id, true)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
CREATE FUNCTION note_list_changes_of_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_changes (list, owner, n)
    SELECT k.list, k.owner, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed CROSS JOIN LATERAL (VALUES
        ('files.all', 0::bigint, true)
      ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON files REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_files();
CREATE TRIGGER list_deletes AFTER DELETE ON files REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_files();
INSERT INTO list_totals (list, owner, n)
  SELECT k.list, k.owner, count(*) FROM files AS counted CROSS JOIN LATERAL (VALUES
    ('files.all', 0::bigint, true)
  ) AS k (list, owner, is_in) WHERE k.is_in GROUP BY k.list, k.owner;

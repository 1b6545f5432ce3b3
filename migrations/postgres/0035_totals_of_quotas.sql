-- Written by hand. Totals of lists with a quota change in the write that changes the rows, so that one row says whether there is room for more
-- (src/db/owner-counts.ts). The other lists go on noting their changes.
CREATE FUNCTION add_to_list_total() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_totals (list, owner, n) VALUES (NEW.list, NEW.owner, NEW.n)
    ON CONFLICT (list, owner) DO UPDATE SET n = list_totals.n + excluded.n;
  RETURN NULL;
END $$;
-- Waits for the writes that have noted changes, and lets no other note any before the commit.
CREATE TRIGGER totals_at_once BEFORE INSERT ON list_changes FOR EACH ROW
  WHEN (NEW.list IN ('qr_codes.personal', 'qr_codes.org', 'assets.owner', 'activities.owner'))
  EXECUTE FUNCTION add_to_list_total();
WITH noted AS (
  DELETE FROM list_changes WHERE list IN ('qr_codes.personal', 'qr_codes.org', 'assets.owner', 'activities.owner') RETURNING *
)
INSERT INTO list_totals (list, owner, n) SELECT list, owner, sum(n) FROM noted GROUP BY list, owner
  ON CONFLICT (list, owner) DO UPDATE SET n = list_totals.n + excluded.n;
-- Versions of a row that changes often stay on its page.
ALTER TABLE list_totals SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 10000);

-- EXPAND 0.1.0

ALTER TABLE "registrations" ADD COLUMN "has_pass" boolean DEFAULT false NOT NULL;

ALTER TABLE "registrations" ADD COLUMN "came_in" boolean DEFAULT false NOT NULL;

-- Written by hand. Triggers keep whether somebody who has registered holds a live pass and came in, and how many registrations of an activity each facet has
-- (facetOf in src/db/schema/activities.ts), so that filtered lists cost what they show. A migration that writes one of these tables anew must drop the view
-- before, and create the view and the triggers of the table again. The next migration is about the rows of before.
CREATE VIEW participant_facts AS
  SELECT r.id,
    EXISTS (SELECT 1 FROM passes AS p WHERE p.activity_id = r.activity_id AND p.live_holder_id = coalesce(r.user_id, -r.id)) AS has_pass,
    EXISTS (SELECT 1 FROM check_in_users AS c WHERE c.activity_id = r.activity_id AND c.user_id = coalesce(r.user_id, -r.id) AND c.count > 0)
      OR EXISTS (SELECT 1 FROM passes AS p WHERE p.holder_user_id = r.user_id AND p.activity_id = r.activity_id AND p.used_count > 0)
      OR r.user_id IS NULL
        AND EXISTS (SELECT 1 FROM passes AS p WHERE p.registration_id = r.id AND p.activity_id = r.activity_id AND p.used_count > 0) AS came_in
  FROM registrations AS r;

CREATE FUNCTION refresh_participants(activity bigint, users bigint[], ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE registrations AS r SET has_pass = f.has_pass, came_in = f.came_in FROM participant_facts AS f
    WHERE f.id = r.id AND r.activity_id = activity AND r.user_id = ANY (users) AND (r.has_pass <> f.has_pass OR r.came_in <> f.came_in);
  UPDATE registrations AS r SET has_pass = f.has_pass, came_in = f.came_in FROM participant_facts AS f
    WHERE f.id = r.id AND r.id = ANY (ids) AND (r.has_pass <> f.has_pass OR r.came_in <> f.came_in);
END $$;

CREATE FUNCTION refresh_participants_of_passes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM refresh_participants(NEW.activity_id, ARRAY[OLD.holder_user_id, NEW.holder_user_id], ARRAY[OLD.registration_id, NEW.registration_id]);
  ELSE
    PERFORM refresh_participants(activity_id, array_agg(holder_user_id), array_agg(registration_id)) FROM changed GROUP BY activity_id;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER participants_of_new_passes AFTER INSERT ON passes REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION refresh_participants_of_passes();

CREATE TRIGGER participants_of_passes AFTER UPDATE OF live_holder_id, holder_user_id, registration_id, used_count ON passes FOR EACH ROW
  WHEN (OLD.live_holder_id IS DISTINCT FROM NEW.live_holder_id OR OLD.holder_user_id IS DISTINCT FROM NEW.holder_user_id
    OR OLD.registration_id IS DISTINCT FROM NEW.registration_id OR (OLD.used_count > 0) <> (NEW.used_count > 0))
  EXECUTE FUNCTION refresh_participants_of_passes();

CREATE FUNCTION refresh_participants_of_check_ins() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  one check_in_users := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM refresh_participants(one.activity_id, ARRAY[one.user_id], ARRAY[-one.user_id]);
  RETURN NULL;
END $$;

CREATE TRIGGER participants_of_first_check_ins AFTER INSERT OR DELETE ON check_in_users FOR EACH ROW
  EXECUTE FUNCTION refresh_participants_of_check_ins();

CREATE TRIGGER participants_of_check_ins AFTER UPDATE OF count ON check_in_users FOR EACH ROW
  WHEN ((OLD.count > 0) <> (NEW.count > 0)) EXECUTE FUNCTION refresh_participants_of_check_ins();

-- Of somebody who held a pass or came in before, and of a guest who gets an account.
CREATE FUNCTION refresh_new_participants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN PERFORM refresh_participants(NEW.activity_id, NULL, ARRAY[NEW.id]);
  ELSE PERFORM refresh_participants(0, NULL, array_agg(id)) FROM changed;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION note_facets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n) VALUES
      ('participants.' || OLD.status || '.' || OLD.source || CASE WHEN OLD.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN OLD.has_pass THEN '.pass' ELSE '' END || CASE WHEN OLD.came_in THEN '.in' ELSE '' END, OLD.activity_id, -1),
      ('participants.' || NEW.status || '.' || NEW.source || CASE WHEN NEW.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN NEW.has_pass THEN '.pass' ELSE '' END || CASE WHEN NEW.came_in THEN '.in' ELSE '' END, NEW.activity_id, 1);
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT 'participants.' || r.status || '.' || r.source || CASE WHEN r.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN r.has_pass THEN '.pass' ELSE '' END || CASE WHEN r.came_in THEN '.in' ELSE '' END, r.activity_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
      FROM changed AS r GROUP BY 1, 2;
  RETURN NULL;
END $$;

CREATE TRIGGER facets_inserts AFTER INSERT ON registrations REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_facets();

CREATE TRIGGER facets_deletes AFTER DELETE ON registrations REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_facets();

CREATE TRIGGER facets_updates AFTER UPDATE OF status, source, user_id, has_pass, came_in ON registrations FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.source <> NEW.source OR (OLD.user_id IS NULL) <> (NEW.user_id IS NULL)
    OR OLD.has_pass <> NEW.has_pass OR OLD.came_in <> NEW.came_in)
  EXECUTE FUNCTION note_facets();

CREATE TRIGGER participants_new AFTER INSERT ON registrations REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION refresh_new_participants();

CREATE TRIGGER participants_claimed AFTER UPDATE OF user_id ON registrations FOR EACH ROW
  WHEN (OLD.user_id IS DISTINCT FROM NEW.user_id) EXECUTE FUNCTION refresh_new_participants();

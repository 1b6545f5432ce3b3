-- EXPAND 0.1.0

ALTER TABLE `registrations` ADD `has_pass` integer DEFAULT false NOT NULL;

ALTER TABLE `registrations` ADD `came_in` integer DEFAULT false NOT NULL;

CREATE INDEX `registrations_facets` ON `registrations` (`activity_id`,("status" || '.' || "source" || case when "user_id" is null then '.guest' else '' end || case when "has_pass" then '.pass' else '' end || case when "came_in" then '.in' else '' end),`created_at`,`id`);

SELECT 1;

-- Written by hand. Triggers keep whether somebody who has registered holds a live pass and came in, and how many registrations of an activity each facet has
-- (facetOf in src/db/schema/activities.ts), so that filtered lists cost what they show. A migration that writes one of these tables anew must drop the view
-- before, and create the view and the triggers of the table again.
CREATE VIEW participant_facts AS
  SELECT r.id,
    EXISTS (SELECT 1 FROM passes AS p WHERE p.activity_id = r.activity_id AND p.live_holder_id = coalesce(r.user_id, -r.id)) AS has_pass,
    EXISTS (SELECT 1 FROM check_in_users AS c WHERE c.activity_id = r.activity_id AND c.user_id = coalesce(r.user_id, -r.id) AND c.count > 0)
      OR EXISTS (SELECT 1 FROM passes AS p WHERE p.holder_user_id = r.user_id AND p.activity_id = r.activity_id AND p.used_count > 0)
      OR r.user_id IS NULL
        AND EXISTS (SELECT 1 FROM passes AS p WHERE p.registration_id = r.id AND p.activity_id = r.activity_id AND p.used_count > 0) AS came_in
  FROM registrations AS r;

CREATE TRIGGER participants_of_new_passes AFTER INSERT ON passes
WHEN NEW.holder_user_id IS NOT NULL OR NEW.registration_id IS NOT NULL
BEGIN
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE activity_id = NEW.activity_id AND user_id = NEW.holder_user_id;
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE id = NEW.registration_id;
END;

CREATE TRIGGER participants_of_passes AFTER UPDATE OF live_holder_id, holder_user_id, registration_id, used_count ON passes
WHEN OLD.live_holder_id IS NOT NEW.live_holder_id OR OLD.holder_user_id IS NOT NEW.holder_user_id
  OR OLD.registration_id IS NOT NEW.registration_id OR (OLD.used_count > 0) <> (NEW.used_count > 0)
BEGIN
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE activity_id = NEW.activity_id AND user_id IN (OLD.holder_user_id, NEW.holder_user_id);
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE id IN (OLD.registration_id, NEW.registration_id);
END;

CREATE TRIGGER participants_of_first_check_ins AFTER INSERT ON check_in_users
BEGIN
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE activity_id = NEW.activity_id AND user_id = NEW.user_id AND NEW.user_id > 0;
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE id = -NEW.user_id AND NEW.user_id < 0;
END;

CREATE TRIGGER participants_of_check_ins AFTER UPDATE OF count ON check_in_users
WHEN (OLD.count > 0) <> (NEW.count > 0)
BEGIN
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE activity_id = NEW.activity_id AND user_id = NEW.user_id AND NEW.user_id > 0;
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE id = -NEW.user_id AND NEW.user_id < 0;
END;

CREATE TRIGGER participants_of_deleted_check_ins AFTER DELETE ON check_in_users
BEGIN
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE activity_id = OLD.activity_id AND user_id = OLD.user_id AND OLD.user_id > 0;
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE id = -OLD.user_id AND OLD.user_id < 0;
END;

-- Of somebody who held a pass or came in before.
CREATE TRIGGER participants_new AFTER INSERT ON registrations
BEGIN
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE id = NEW.id;
END;

CREATE TRIGGER participants_claimed AFTER UPDATE OF user_id ON registrations
WHEN OLD.user_id IS NOT NEW.user_id
BEGIN
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE id = NEW.id;
END;

CREATE TRIGGER facets_inserts AFTER INSERT ON registrations
BEGIN
  INSERT INTO list_totals (list, owner, n) VALUES ('participants.' || NEW.status || '.' || NEW.source || CASE WHEN NEW.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN NEW.has_pass THEN '.pass' ELSE '' END || CASE WHEN NEW.came_in THEN '.in' ELSE '' END, NEW.activity_id, 1)
    ON CONFLICT (list, owner) DO UPDATE SET n = n + 1;
END;

CREATE TRIGGER facets_updates AFTER UPDATE OF status, source, user_id, has_pass, came_in ON registrations
WHEN OLD.status || '.' || OLD.source || CASE WHEN OLD.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN OLD.has_pass THEN '.pass' ELSE '' END || CASE WHEN OLD.came_in THEN '.in' ELSE '' END
  <> NEW.status || '.' || NEW.source || CASE WHEN NEW.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN NEW.has_pass THEN '.pass' ELSE '' END || CASE WHEN NEW.came_in THEN '.in' ELSE '' END
BEGIN
  INSERT INTO list_totals (list, owner, n) VALUES
    ('participants.' || OLD.status || '.' || OLD.source || CASE WHEN OLD.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN OLD.has_pass THEN '.pass' ELSE '' END || CASE WHEN OLD.came_in THEN '.in' ELSE '' END, OLD.activity_id, -1),
    ('participants.' || NEW.status || '.' || NEW.source || CASE WHEN NEW.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN NEW.has_pass THEN '.pass' ELSE '' END || CASE WHEN NEW.came_in THEN '.in' ELSE '' END, NEW.activity_id, 1)
    ON CONFLICT (list, owner) DO UPDATE SET n = n + excluded.n;
END;

CREATE TRIGGER facets_deletes AFTER DELETE ON registrations
BEGIN
  UPDATE list_totals SET n = n - 1 WHERE list = 'participants.' || OLD.status || '.' || OLD.source || CASE WHEN OLD.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN OLD.has_pass THEN '.pass' ELSE '' END || CASE WHEN OLD.came_in THEN '.in' ELSE '' END AND owner = OLD.activity_id;
END;

INSERT INTO list_totals (list, owner, n)
  SELECT 'participants.' || r.status || '.' || r.source || CASE WHEN r.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN r.has_pass THEN '.pass' ELSE '' END || CASE WHEN r.came_in THEN '.in' ELSE '' END, r.activity_id, count(*) FROM registrations AS r GROUP BY 1, 2;

UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
  WHERE id IN (SELECT id FROM participant_facts WHERE has_pass OR came_in);

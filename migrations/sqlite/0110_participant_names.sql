-- EXPAND 0.1.0

ALTER TABLE `registrations` ADD `sort_name` text;

CREATE INDEX `registrations_names` ON `registrations` (`activity_id`,`sort_name`,`created_at`,`id`,`status`) WHERE "registrations"."status" <> 'PENDING';

CREATE INDEX `registrations_unnamed` ON `registrations` (`id`) WHERE "registrations"."sort_name" is null;

-- Written by hand. Triggers keep the name by which the list of participants is sorted. A migration that writes one of these tables anew must create the
-- triggers of the table again.
DROP TRIGGER participants_new;

-- Of somebody who held a pass or came in before, too.
CREATE TRIGGER participants_new AFTER INSERT ON registrations
BEGIN
  UPDATE registrations SET
      sort_name = lower(coalesce((SELECT u.nickname FROM users AS u WHERE u.id = registrations.user_id), name, '')),
      (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE id = NEW.id;
END;

CREATE TRIGGER participants_renamed AFTER UPDATE OF name, user_id ON registrations
WHEN OLD.name IS NOT NEW.name OR OLD.user_id IS NOT NEW.user_id
BEGIN
  UPDATE registrations SET sort_name = lower(coalesce((SELECT u.nickname FROM users AS u WHERE u.id = registrations.user_id), name, ''))
    WHERE id = NEW.id;
END;

CREATE TRIGGER participants_of_nicknames AFTER UPDATE OF nickname ON users
WHEN OLD.nickname IS NOT NEW.nickname
BEGIN
  UPDATE registrations SET sort_name = lower(NEW.nickname) WHERE user_id = NEW.id;
END;

-- The first use of a pass costs three fifths of what it did: whether somebody came in follows from the use. A row can leave a total that no row has entered yet,
-- because `participants_new` may run before `facets_inserts`: SQLite promises no order.
DROP TRIGGER participants_of_passes;

CREATE TRIGGER participants_of_passes AFTER UPDATE OF live_holder_id, holder_user_id, registration_id, used_count ON passes
WHEN OLD.live_holder_id IS NOT NEW.live_holder_id OR OLD.holder_user_id IS NOT NEW.holder_user_id
  OR OLD.registration_id IS NOT NEW.registration_id OR (OLD.used_count > 0 AND NEW.used_count = 0)
BEGIN
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE activity_id = NEW.activity_id AND user_id IN (OLD.holder_user_id, NEW.holder_user_id);
  UPDATE registrations SET (has_pass, came_in) = (SELECT f.has_pass, f.came_in FROM participant_facts AS f WHERE f.id = registrations.id)
    WHERE id IN (OLD.registration_id, NEW.registration_id);
END;

CREATE TRIGGER participants_of_first_uses AFTER UPDATE OF used_count ON passes
WHEN OLD.used_count = 0 AND NEW.used_count > 0 AND NEW.holder_user_id IS NOT NULL
BEGIN
  UPDATE registrations SET came_in = true WHERE activity_id = NEW.activity_id AND user_id = NEW.holder_user_id AND NOT came_in;
END;

CREATE TRIGGER guests_of_first_uses AFTER UPDATE OF used_count ON passes
WHEN OLD.used_count = 0 AND NEW.used_count > 0 AND NEW.registration_id IS NOT NULL
BEGIN
  UPDATE registrations SET came_in = true
    WHERE id = NEW.registration_id AND activity_id = NEW.activity_id AND user_id IS NULL AND NOT came_in;
END;

DROP TRIGGER facets_updates;

CREATE TRIGGER facets_updates AFTER UPDATE OF status, source, user_id, has_pass, came_in ON registrations
WHEN OLD.came_in <> NEW.came_in OR OLD.has_pass <> NEW.has_pass OR OLD.status <> NEW.status OR OLD.source <> NEW.source
  OR (OLD.user_id IS NULL) <> (NEW.user_id IS NULL)
BEGIN
  INSERT INTO list_totals (list, owner, n) VALUES
    ('participants.' || OLD.status || '.' || OLD.source || CASE WHEN OLD.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN OLD.has_pass THEN '.pass' ELSE '' END || CASE WHEN OLD.came_in THEN '.in' ELSE '' END, OLD.activity_id, -1),
    ('participants.' || NEW.status || '.' || NEW.source || CASE WHEN NEW.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN NEW.has_pass THEN '.pass' ELSE '' END || CASE WHEN NEW.came_in THEN '.in' ELSE '' END, NEW.activity_id, 1)
    ON CONFLICT (list, owner) DO UPDATE SET n = n + excluded.n;
END;

UPDATE registrations SET sort_name = lower(coalesce((SELECT u.nickname FROM users AS u WHERE u.id = registrations.user_id), name, ''));

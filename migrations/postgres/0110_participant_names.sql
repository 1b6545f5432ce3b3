-- EXPAND 0.1.0

ALTER TABLE "registrations" ADD COLUMN "sort_name" text;

-- Written by hand. Triggers keep the name by which the list of participants is sorted. A job fills the rows of before.
CREATE FUNCTION name_participant() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  nick text;
BEGIN
  -- The lock lets a change of the nickname that goes on at the same time see this row.
  IF NEW.user_id IS NOT NULL THEN SELECT u.nickname INTO nick FROM users AS u WHERE u.id = NEW.user_id FOR SHARE; END IF;
  NEW.sort_name := lower(coalesce(nick, NEW.name, '') COLLATE "C");
  RETURN NEW;
END $$;

CREATE TRIGGER participants_named BEFORE INSERT ON registrations FOR EACH ROW EXECUTE FUNCTION name_participant();

CREATE TRIGGER participants_renamed BEFORE UPDATE OF name, user_id ON registrations FOR EACH ROW
  WHEN (OLD.name IS DISTINCT FROM NEW.name OR OLD.user_id IS DISTINCT FROM NEW.user_id) EXECUTE FUNCTION name_participant();

CREATE FUNCTION rename_participants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE registrations SET sort_name = lower(NEW.nickname COLLATE "C") WHERE user_id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER participants_of_nicknames AFTER UPDATE OF nickname ON users FOR EACH ROW
  WHEN (OLD.nickname IS DISTINCT FROM NEW.nickname) EXECUTE FUNCTION rename_participants();

-- EXPAND 0.1.0
-- Written by hand. Triggers note how many rows these lists of all owners gain and lose (src/db/list-totals.ts). The next migration counts the rows that
-- they had before.
CREATE FUNCTION note_list_changes_of_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n) VALUES ('users.all', 0, CASE WHEN NEW.status <> 'DELETED' THEN 1 ELSE -1 END);
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT 'users.all', 0, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed WHERE status <> 'DELETED' HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON users REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_users();
CREATE TRIGGER list_deletes AFTER DELETE ON users REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_users();
CREATE TRIGGER list_updates AFTER UPDATE OF status ON users FOR EACH ROW
  WHEN ((OLD.status <> 'DELETED') <> (NEW.status <> 'DELETED'))
  EXECUTE FUNCTION note_list_changes_of_users();
CREATE FUNCTION note_list_changes_of_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (list, owner, n) VALUES ('sessions.active', 0, CASE WHEN NEW.status = 'ACTIVE' THEN 1 ELSE -1 END);
    RETURN NULL;
  END IF;
  INSERT INTO list_changes (list, owner, n)
    SELECT 'sessions.active', 0, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed WHERE status = 'ACTIVE' HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON sessions REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_sessions();
CREATE TRIGGER list_deletes AFTER DELETE ON sessions REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_sessions();
CREATE TRIGGER list_updates AFTER UPDATE OF status ON sessions FOR EACH ROW
  WHEN ((OLD.status = 'ACTIVE') <> (NEW.status = 'ACTIVE'))
  EXECUTE FUNCTION note_list_changes_of_sessions();
CREATE FUNCTION note_list_changes_of_login_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_changes (list, owner, n)
    SELECT 'login_records.all', 0, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON login_records REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_login_records();
CREATE TRIGGER list_deletes AFTER DELETE ON login_records REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_login_records();
CREATE FUNCTION note_list_changes_of_organizations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_changes (list, owner, n)
    SELECT 'organizations.all', 0, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON organizations REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_organizations();
CREATE TRIGGER list_deletes AFTER DELETE ON organizations REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_organizations();
CREATE FUNCTION note_list_changes_of_categories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_changes (list, owner, n)
    SELECT 'categories.all', 0, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserts AFTER INSERT ON categories REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_categories();
CREATE TRIGGER list_deletes AFTER DELETE ON categories REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_list_changes_of_categories();

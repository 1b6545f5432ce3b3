UPDATE users SET last_login_at = (
  SELECT max(created_at) FROM login_records WHERE login_records.user_id = users.id AND login_records.status = 'success'
);

-- The server signs the head when it starts.
INSERT INTO admin_log_head (id, row_id, hash, row_count, broken_at, signature)
SELECT 1, coalesce(max(id), 0), coalesce((SELECT hash FROM admin_logs ORDER BY id DESC LIMIT 1), ''), count(*), NULL, ''
FROM admin_logs;

-- Rows that a checkpoint covers may be deleted: the retention of the log adds the checkpoint first.
CREATE OR REPLACE FUNCTION admin_logs_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.id <= coalesce((SELECT max(row_id) FROM admin_log_checkpoints), 0) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'rows of % cannot be changed or deleted', TG_TABLE_NAME;
END
$$;

CREATE FUNCTION admin_log_state_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % cannot be changed or deleted', TG_TABLE_NAME;
END
$$;

CREATE TRIGGER admin_logs_no_truncate BEFORE TRUNCATE ON admin_logs
FOR EACH STATEMENT EXECUTE FUNCTION admin_log_state_append_only();

CREATE TRIGGER admin_log_checkpoints_no_change BEFORE UPDATE OR DELETE ON admin_log_checkpoints
FOR EACH ROW EXECUTE FUNCTION admin_log_state_append_only();

CREATE TRIGGER admin_log_checkpoints_no_truncate BEFORE TRUNCATE ON admin_log_checkpoints
FOR EACH STATEMENT EXECUTE FUNCTION admin_log_state_append_only();

CREATE FUNCTION admin_log_checkpoints_below_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.row_id >= coalesce((SELECT row_id FROM admin_log_head), 0) THEN
    RAISE EXCEPTION 'a checkpoint cannot cover the newest row of admin_logs';
  END IF;
  RETURN NEW;
END
$$;

-- The newest row is always kept.
CREATE TRIGGER admin_log_checkpoints_below_head BEFORE INSERT ON admin_log_checkpoints
FOR EACH ROW EXECUTE FUNCTION admin_log_checkpoints_below_head();

CREATE FUNCTION admin_log_head_no_return() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.row_id < OLD.row_id THEN
    RAISE EXCEPTION 'admin_log_head cannot be set back';
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER admin_log_head_no_return BEFORE UPDATE ON admin_log_head
FOR EACH ROW EXECUTE FUNCTION admin_log_head_no_return();

CREATE TRIGGER admin_log_head_no_delete BEFORE DELETE ON admin_log_head
FOR EACH ROW EXECUTE FUNCTION admin_log_state_append_only();

CREATE TRIGGER admin_log_head_no_truncate BEFORE TRUNCATE ON admin_log_head
FOR EACH STATEMENT EXECUTE FUNCTION admin_log_state_append_only();

UPDATE notification_sends SET
  audience = CASE WHEN org_id <> 0 THEN 'ORG' WHEN finished_at = created_at THEN 'USERS' ELSE 'ALL' END,
  audience_count = sent;

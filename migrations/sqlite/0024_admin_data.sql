UPDATE users SET last_login_at = (
  SELECT max(created_at) FROM login_records WHERE login_records.user_id = users.id AND login_records.status = 'success'
);

-- The server signs the head when it starts.
INSERT INTO admin_log_head (id, row_id, hash, row_count, broken_at, signature)
SELECT 1, coalesce(max(id), 0), coalesce((SELECT hash FROM admin_logs ORDER BY id DESC LIMIT 1), ''), count(*), NULL, ''
FROM admin_logs;

DROP TRIGGER admin_logs_no_delete;

-- Rows that a checkpoint covers may be deleted: the retention of the log adds the checkpoint first.
CREATE TRIGGER admin_logs_no_delete BEFORE DELETE ON admin_logs
WHEN OLD.id > coalesce((SELECT max(row_id) FROM admin_log_checkpoints), 0)
BEGIN SELECT RAISE(ABORT, 'rows of admin_logs cannot be deleted'); END;

CREATE TRIGGER admin_log_checkpoints_no_update BEFORE UPDATE ON admin_log_checkpoints
BEGIN SELECT RAISE(ABORT, 'rows of admin_log_checkpoints cannot be changed'); END;

CREATE TRIGGER admin_log_checkpoints_no_delete BEFORE DELETE ON admin_log_checkpoints
BEGIN SELECT RAISE(ABORT, 'rows of admin_log_checkpoints cannot be deleted'); END;

-- The newest row is always kept.
CREATE TRIGGER admin_log_checkpoints_below_head BEFORE INSERT ON admin_log_checkpoints
WHEN NEW.row_id >= coalesce((SELECT row_id FROM admin_log_head), 0)
BEGIN SELECT RAISE(ABORT, 'a checkpoint cannot cover the newest row of admin_logs'); END;

CREATE TRIGGER admin_log_head_no_return BEFORE UPDATE ON admin_log_head
WHEN NEW.row_id < OLD.row_id
BEGIN SELECT RAISE(ABORT, 'admin_log_head cannot be set back'); END;

CREATE TRIGGER admin_log_head_no_delete BEFORE DELETE ON admin_log_head
BEGIN SELECT RAISE(ABORT, 'the row of admin_log_head cannot be deleted'); END;

UPDATE notification_sends SET
  audience = CASE WHEN org_id <> 0 THEN 'ORG' WHEN finished_at = created_at THEN 'USERS' ELSE 'ALL' END,
  audience_count = sent;

-- EXPAND 0.1.0

ALTER TABLE "users" ADD COLUMN "created_by_admin" boolean DEFAULT false NOT NULL;

-- Accounts of earlier versions, as far as the operation log knows.
UPDATE users SET created_by_admin = true
  WHERE id IN (SELECT target_id FROM admin_logs WHERE action = 'USER_CREATE');
